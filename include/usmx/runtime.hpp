// Devices, contexts and queues: all of runtime/, and what goes with it in every program.
#pragma once

#include "usmx/base/process.hpp"
#include "usmx/memory/synchronize.hpp"
#include "usmx/runtime/contexts.hpp"
#include "usmx/runtime/devices.hpp"
#include "usmx/runtime/diagnosis.hpp"
#include "usmx/runtime/loaded_runtimes.hpp"
#include "usmx/runtime/queues.hpp"
#include "usmx/runtime/selectors.hpp"
