// What the sources beside this file include.
#include <span>
#include <type_traits>

#include "usmx/array/in.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/strided_view.hpp"
