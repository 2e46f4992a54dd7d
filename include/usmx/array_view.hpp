// The short name of usmx/array/array_view.hpp: checked views of arrays, which own nothing.
#pragma once

#include "usmx/array/array_view.hpp"
