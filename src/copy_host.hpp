// Running a copy on the host, over memory that it may touch. No SYCL here.
#pragma once

#include "copy_plan.hpp"

namespace usmx::detail {

void copy_on_host(const copy_plan& plan);

}  // namespace usmx::detail
