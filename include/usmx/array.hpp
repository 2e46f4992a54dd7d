// Arrays, which own or share their memory, functions that make new ones, and parameters that state
// what an array must have: the short name of usmx/array/array.hpp, usmx/array/array_of.hpp and
// usmx/array/in.hpp.
#pragma once

#include "usmx/array/array.hpp"
#include "usmx/array/array_of.hpp"
#include "usmx/array/in.hpp"
