// nanobind casters for SYCL extensions. Functions may take usmx::array and usmx::array_view from
// any producer of __sycl_usm_array_interface__, and sycl::queue, sycl::context, sycl::device and
// sycl::event from any Python object that holds one. They may return all of these but the view,
// which become Python objects of usmx. std::optional, std::vector and std::variant may hold them,
// too.
//
// An object that claims to be USM memory and is not raises its error (a ValueError that names key,
// expected and found value), and is not tried with another overload. A view is valid during the
// call. An array keeps its memory alive as long as it exists, and may be released on any thread.
#pragma once

#include <nanobind/nanobind.h>

// Before 3.0, nanobind hands out errors of Python 3.11 as a type and a text, which are no exception
// that could wait; and before 2.1 its containers' casters have no names.
#if NB_VERSION_MAJOR < 3
#error "usmx/python/nanobind.hpp needs nanobind 3.0 or newer: pip install 'nanobind>=3.0'"
#endif

#include "usmx/python/function.hpp"
#include "usmx/python/nanobind/casters.hpp"
#include "usmx/python/nanobind/typed.hpp"
