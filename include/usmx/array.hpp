// Arrays that own their memory: array/array.hpp, by its short name.
#pragma once

#include "usmx/array/array.hpp"
