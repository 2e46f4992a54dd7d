// A program as a request for the compiler's process has it. No SYCL here. Private to the library
// and the programs that compile.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "user_kernels/compile/child.hpp"
#include "user_kernels/compile/program.hpp"

namespace usmx::inline v1::detail {

inline void add_program(message_writer& request, const program& added) {
  request.add(added.text);
  for (const std::vector<std::string>* texts : {&added.kernels, &added.options}) {
    request.add(texts->size());
    for (const std::string& each : *texts) {
      request.add(each);
    }
  }
  request.add(added.files.size());
  for (const auto& [name, text] : added.files) {
    request.add(name);
    request.add(text);
  }
}

/// Throws std::runtime_error where the request ends early.
inline program take_program(message_reader& request) {
  program taken{};
  taken.text = request.text();
  for (std::vector<std::string>* texts : {&taken.kernels, &taken.options}) {
    texts->resize(request.number());
    for (std::string& each : *texts) {
      each = request.text();
    }
  }
  taken.files.resize(request.number());
  for (auto& [name, text] : taken.files) {
    name = request.text();
    text = request.text();
  }
  // The lines of the kernels are the last ones.
  taken.first_kernel_line = static_cast<int>(std::ranges::count(taken.text, '\n')) -
                            static_cast<int>(taken.kernels.size()) + 1;
  return taken;
}

}  // namespace usmx::inline v1::detail
