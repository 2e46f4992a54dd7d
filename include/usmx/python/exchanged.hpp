// The types that pass between Python and extensions, for the casters of any binding library: the
// name of each in Python, and the functions of usmx's table that take and give it.
#pragma once

#include "usmx/python/api.hpp"

namespace usmx::python {

template <class T>
struct exchanged;

template <>
struct exchanged<array> {
  static constexpr char name[] = "usmx.USMArray";
  static constexpr auto take = &api_table::as_array;
  static constexpr auto give = &api_table::from_array;
};

template <>
struct exchanged<sycl::queue> {
  static constexpr char name[] = "usmx.SyclQueue";
  static constexpr auto take = &api_table::as_queue;
  static constexpr auto give = &api_table::from_queue;
};

template <>
struct exchanged<sycl::context> {
  static constexpr char name[] = "usmx.SyclContext";
  static constexpr auto take = &api_table::as_context;
  static constexpr auto give = &api_table::from_context;
};

template <>
struct exchanged<sycl::device> {
  static constexpr char name[] = "usmx.SyclDevice";
  static constexpr auto take = &api_table::as_device;
  static constexpr auto give = &api_table::from_device;
};

template <>
struct exchanged<sycl::event> {
  static constexpr char name[] = "usmx.SyclEvent";
  static constexpr auto take = &api_table::as_event;
  static constexpr auto give = &api_table::from_event;
};

/// What a signature of Python says of such a parameter.
template <class T>
inline constexpr const auto& taken_as = exchanged<T>::name;
template <>
inline constexpr const auto& taken_as<array> = "usmx.SupportsUsmArrayInterface";

/// The Python object for a value; null with a Python error set.
template <class T>
PyObject* give(const T& value) noexcept {
  const api_table* table = api();
  return table == nullptr ? nullptr : (table->*exchanged<T>::give)(value);
}

}  // namespace usmx::python
