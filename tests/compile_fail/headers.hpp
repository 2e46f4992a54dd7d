// What the sources beside this file include: it is precompiled once for all of them.
#include <span>
#include <type_traits>

#include "usmx/array/in.hpp"
#include "usmx/copy/values.hpp"
#include "usmx/layout/strided_view.hpp"
