// nanobind casters for authors of SYCL extensions: functions may take usmx::array_view,
// usmx::array, sycl::queue, sycl::context, sycl::device and sycl::event, from any producer of
// __sycl_usm_array_interface__ and any object that holds one of the others, and return all but the
// view as usmx's own Python objects; std::optional, std::vector and std::variant of them too.
//
// An object that claims to be USM memory and is not raises its error in Python (ValueError with
// key, expected, found); it is not taken for another overload. A view is valid during the call; an
// array keeps its memory alive for as long as it exists, and may be released on any thread.
#pragma once

#include "usmx/python/nanobind/casters.hpp"
#include "usmx/python/nanobind/containers.hpp"
#include "usmx/python/nanobind/import.hpp"
#include "usmx/python/nanobind/typed.hpp"
