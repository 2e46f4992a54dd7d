// The short name of usmx/array/array.hpp: arrays, which own or share their memory, and functions
// that make new ones.
#pragma once

#include "usmx/array/array.hpp"
