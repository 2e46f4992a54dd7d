// The short name of what every program needs to run: devices, selectors, contexts and queues
// (usmx/runtime), the state of the process (usmx/base/process.hpp), and waiting for all memory that
// is to be freed (usmx/memory/buffer.hpp).
#pragma once

#include "usmx/base/process.hpp"
#include "usmx/memory/buffer.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/queues.hpp"
