// Late imports of other packages' modules, mostly NumPy's, which usmx does without as long as it
// can.
#pragma once

#include <utility>

#include "support/nanobind.hpp"

namespace usmx::bindings {

/// An attribute of another package's module: imported on first use, then held for ever.
class lazy_import {
 public:
  lazy_import(const char* module, const char* name) noexcept : module_(module), name_(name) {}
  lazy_import(const lazy_import&) = delete;
  lazy_import& operator=(const lazy_import&) = delete;

  nb::handle get() {
    return held_.get([&] { return nb::object(nb::module_::import_(module_).attr(name_)); });
  }
  template <class... Arguments>
  nb::object operator()(Arguments&&... arguments) {
    return get()(std::forward<Arguments>(arguments)...);
  }

 private:
  const char* module_;
  const char* name_;
  kept_object held_;
};

}  // namespace usmx::bindings
