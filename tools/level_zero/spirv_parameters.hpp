// What parameters the kernels of a SPIR-V module have. SPIR-V names their types; OpenCL's interface
// and Level Zero's want to be told of each argument what it is.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace executing {

struct parameter {
  enum class kind { value, pointer, local };
  kind is;
  std::size_t nbytes;  // of a value
};

/// The parameters of each kernel, by its name. None of what is no SPIR-V.
std::map<std::string, std::vector<parameter>> parameters_of_kernels(
    const std::vector<char>& module);

}  // namespace executing
