// What usmx's Python module may use of the library beyond the public headers: the one door to its
// internals. All of it is in the namespace usmx::internal, which is no part of the interface that
// stays as it is (tests/abi). What else these headers have, in usmx::detail, the library hides. Not
// installed.
#pragma once

#include "array/array.hpp"
#include "base/ranked_mutex.hpp"
#include "copy/copy.hpp"
#include "copy/select/gather.hpp"
#include "copy/staging.hpp"
#include "exchange/consumer.hpp"
#include "generated_kernels/elementwise_call.hpp"
#include "generated_kernels/reduction_call.hpp"
#include "layout/plain_types_internal.hpp"
#include "memory/buffer.hpp"
#include "memory/current_resource.hpp"
#include "runtime/partner_bridge.hpp"
#include "runtime/queues.hpp"
#include "runtime/waits.hpp"
#include "user_kernels/compile/spirv.hpp"
#include "user_kernels/compiled_kernels.hpp"
