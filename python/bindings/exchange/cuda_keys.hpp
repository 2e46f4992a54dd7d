// The names of __cuda_array_interface__ in Python.
#pragma once

#include "support/nanobind.hpp"

namespace usmx::bindings {

inline constexpr const char* cuda_interface_text = "__cuda_array_interface__";
inline interned cuda_interface_name(cuda_interface_text);

struct cuda_keys {
  static inline interned data{"data"};
  static inline interned descr{"descr"};
  static inline interned mask{"mask"};
  static inline interned shape{"shape"};
  static inline interned stream{"stream"};
  static inline interned strides{"strides"};
  static inline interned typestr{"typestr"};
  static inline interned version{"version"};
};

}  // namespace usmx::bindings
