// The short name of what every program needs to run: devices, selectors, contexts and queues
// (usmx/runtime), the state of the process (usmx/base/process.hpp), and waiting for all memory that
// is to be freed (usmx/memory/synchronize.hpp).
#pragma once

#include "usmx/base/process.hpp"
#include "usmx/memory/synchronize.hpp"
#include "usmx/runtime/contexts.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/diagnosis.hpp"
#include "usmx/runtime/loaded_runtimes.hpp"
#include "usmx/runtime/queues.hpp"
#include "usmx/runtime/selectors.hpp"
