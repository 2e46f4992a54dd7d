// compile_kernels FOLDER: run by the package's build. Compiles every group of device kernels into
// FOLDER/<group>.syclbin, by the SYCL runtime's own compiler. A group that cannot be compiled here,
// since there is no device or no compiler, gets an empty file, and the library compiles it from
// source when it is first needed.
//
// compile_kernels FOLDER LIBRARY: for CUDA devices into FOLDER/<group>.ptx, by NVIDIA's run-time
// compiler in that file, which needs no GPU; empty files if the name is empty. PTX is text that
// each device's driver builds for itself.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>

#include "kernels/compile/nvrtc.hpp"
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

void write(const std::filesystem::path& file, std::span<const char> content) {
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

/// The header, since NVIDIA's compiler has no standard library.
constexpr const char* cstdint = R"(
namespace std {
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
}
)";

std::string ptx_of(kernel_group group, const std::string& compiler) {
  nvrtc_program program{.library = compiler,
                        // The oldest devices whose shared memory moves by itself.
                        .capability = 60,
                        .is_for_newer = true,
                        .text = std::string(kernel_source_text(source_file_of(group))),
                        .options = {"-DUSMX_WIDE_GROUPS"},
                        .files = {{"cstdint", cstdint}}};
  for (const kernel_source& file : kernel_sources()) {
    program.files.emplace_back(file.name, file.text);
  }
  nvrtc_result made = compile_by_nvrtc(program);
  std::cerr << made.log;
  if (made.code.empty()) {
    throw std::runtime_error(name_of(group, kernel_shape::tiled) + " cannot be compiled");
  }
  made.code.resize(made.code.find('\0'));
  return made.code;
}

/// Every CUDA device has double precision.
bool is_for_cuda(kernel_group group) { return group != kernel_group::cast_integer_double; }

void write_ptx(const std::filesystem::path& folder, const std::string& compiler) {
  for (const kernel_group group : all_kernel_groups) {
    write(folder / (name_of(group, kernel_shape::narrow) + ".ptx"),
          compiler.empty() || !is_for_cuda(group) ? std::string() : ptx_of(group, compiler));
  }
}

void write_objects(const std::filesystem::path& folder) {
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
      write(folder / (name_of(group, shape) + ".syclbin"), object);
    }
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count == 2) {
    write_objects(arguments[1]);
  } else if (count == 3) {
    write_ptx(arguments[1], arguments[2]);
  } else {
    std::cerr << "usage: compile_kernels FOLDER [LIBRARY]\n";
    return 2;
  }
  return 0;
} catch (const std::exception& failed) {
  std::cerr << "compile_kernels: " << failed.what() << '\n';
  return 1;
}
