// compile_kernels FOLDER: run by the package's build. Compiles every group of device kernels into
// FOLDER/<group>.syclbin, by the SYCL runtime's own compiler. A group that cannot be compiled here,
// since there is no device or no compiler, gets an empty file, and the library compiles it from
// source when it is first needed.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>

#include "kernels/groups.hpp"
#include "kernels/runtime_compiler.hpp"

namespace {

using namespace usmx::detail;

/// Throws unless all kernels of the group are there: the compiler leaves out, without a word, what
/// does not suit its devices. An object cannot be asked, and building it to ask takes seconds; but
/// the names of its entry points stand in it.
void check(kernel_group group, const std::vector<char>& object) {
  const std::string_view bytes(object.data(), object.size());
  for (const char* name : names_of(group)) {
    if (bytes.find(std::string(name) + '\0') == bytes.npos) {
      throw std::runtime_error(std::string("kernel ") + name + " is missing from the object");
    }
  }
}

std::vector<char> compile_checked(const sycl::context& context, kernel_group group,
                                  kernel_shape shape) {
  std::vector<char> object = compile_kernels(context, group, shape);
  check(group, object);
  return object;
}

void write(const std::filesystem::path& file, const std::vector<char>& content) {
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!out.flush()) {
    throw std::runtime_error("cannot write " + file.string());
  }
}

/// Any device will do: objects hold SPIR-V. None when there is no device.
std::vector<sycl::context> find_context() {
  try {
    return {sycl::context(sycl::device())};
  } catch (const sycl::exception& none) {
    std::cerr << "compile_kernels: no device: " << none.what() << '\n';
    return {};
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) {
    std::cerr << "usage: compile_kernels FOLDER\n";
    return 2;
  }
  const std::vector<sycl::context> context = find_context();
  for (const kernel_group group : all_kernel_groups) {
    for (const kernel_shape shape : all_kernel_shapes) {
      std::vector<char> object;
      try {
        if (!context.empty()) {
          object = compile_checked(context.front(), group, shape);
        }
      } catch (const std::exception& failed) {
        std::cerr << "compile_kernels: " << name_of(group, shape)
                  << " will be compiled when it is first used: " << failed.what() << '\n';
      }
      write(std::filesystem::path(arguments[1]) / (name_of(group, shape) + ".syclbin"), object);
    }
  }
  return 0;
} catch (const std::exception& failed) {
  std::cerr << "compile_kernels: " << failed.what() << '\n';
  return 1;
}
