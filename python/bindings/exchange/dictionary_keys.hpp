// The names of the protocol in Python.
#pragma once

#include <array>
#include <cstddef>

#include "support/nanobind.hpp"

namespace usmx::bindings {

inline constexpr const char* interface_text = "__sycl_usm_array_interface__";
inline interned interface_name(interface_text);

/// The keys, in the order in which usmx and dpnp write them.
enum class interface_key { data, shape, strides, typestr, version, syclobj, offset, typedescr };
inline constexpr std::size_t key_count = 8;
inline std::array<interned, key_count> key_names{
    interned("data"),    interned("shape"),   interned("strides"), interned("typestr"),
    interned("version"), interned("syclobj"), interned("offset"),  interned("typedescr")};

inline PyObject* key_name(interface_key k) { return key_names[static_cast<std::size_t>(k)].get(); }

}  // namespace usmx::bindings
