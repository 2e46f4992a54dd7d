// The private headers that usmx's Python module may use besides the public ones: the one door to
// the library's internals. The module's part of them is in the namespace usmx::internal, which does
// not belong to the stable interface (tests/abi). The rest, in usmx::detail, is hidden by the
// library. Not installed.
#pragma once

#include "array/array.hpp"
#include "base/process.hpp"
#include "base/ranked_mutex.hpp"
#include "compute/elementwise.hpp"
#include "compute/functions.hpp"
#include "compute/host_algorithms.hpp"
#include "compute/host_calls.hpp"
#include "compute/host_products.hpp"
#include "compute/host_reductions.hpp"
#include "compute/promotion.hpp"
#include "compute/table.hpp"
#include "copy/copy.hpp"
#include "copy/select/selection.hpp"
#include "copy/staging.hpp"
#include "exchange/consumer.hpp"
#include "exchange/producer.hpp"
#include "generated_kernels/call.hpp"
#include "layout/layout.hpp"
#include "memory/buffer.hpp"
#include "memory/current_resource.hpp"
#include "runtime/queues.hpp"
#include "runtime/waits.hpp"
#include "user_kernels/compile/spirv.hpp"
#include "user_kernels/kernel_code.hpp"
#include "vendors/fourier.hpp"
#include "vendors/host_work.hpp"
#include "vendors/lapack.hpp"
#include "vendors/product.hpp"
