// Views of arrays: array/array_view.hpp, by its short name.
#pragma once

#include "usmx/array/array_view.hpp"
