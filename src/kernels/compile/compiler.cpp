#include "kernels/compile/compiler.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <system_error>

#include "kernels/compile/child.hpp"
#include "kernels/compile/packaged_programs.hpp"
#include "kernels/compile/spirv.hpp"
#include "kernels/device_kernel.hpp"
#include "runtime/drivers/cuda.hpp"
#include "runtime/drivers/usm_driver.hpp"
#include "usmx/base/error.hpp"
#include "usmx/base/process.hpp"
#include "usmx/kernels/compile.hpp"

namespace usmx::inline v1::detail {

std::string nvrtc_library::identity() const {
  std::error_code unknown;
  const auto nbytes = std::filesystem::file_size(file, unknown);
  return message(file.filename().native(), ", ", unknown ? 0 : nbytes, " bytes");
}

nvrtc_library find_nvrtc(int driver_major_version, int capability) {
  for (const auto& each : cuda::toolkit_versions) {
    if (each.major > driver_major_version || each.oldest_capability > capability) {
      continue;
    }
    if (const auto file = cuda::find_file(message("libnvrtc.so.", each.major), each.nvrtc_folder)) {
      return {*file};
    }
  }
  throw compile_error(
      "kernels for CUDA devices are compiled by NVIDIA's compiler NVRTC of CUDA 12 or 13, no newer "
      "than the device's driver, and none was found: `pip install usmx[cuda]` installs it",
      {});
}

namespace {

namespace fs = std::filesystem;

fs::path compiler_program() {
  if (const auto found = file_beside_library("usmx-compile")) {
    return *found;
  }
  throw std::runtime_error(message("expected usmx-compile, which compiles kernels, in ",
                                   (library_folder().parent_path() / "libexec").native(), " or ",
                                   library_folder().native(), ", found none"));
}

/// The position of a root device among those that the runtime lists, which are the same in a child.
std::size_t number_of(const sycl::device& device) {
  const std::vector<sycl::device> all = sycl::device::get_devices();
  const auto found = std::ranges::find(all, device);
  if (found == all.end()) {
    throw value_error("kernels are compiled for root devices, found a part of one");
  }
  return static_cast<std::size_t>(found - all.begin());
}

std::string request_for(const program& source, const runtime_target& target) {
  message_writer request;
  request.add(runtime_name);
  add_program(request, source);
  request.add(number_of(target.device));
  return request.bytes();
}

std::string request_for(const program& source, const cuda_target& target) {
  if (internal::is_spirv(source.text)) {
    throw compile_error(
        "a module of SPIR-V cannot be compiled for CUDA devices, whose drivers take none: expected "
        "source that includes <usmx/kernel.hpp>",
        {});
  }
  message_writer request;
  request.add(nvrtc_name);
  add_program(request, as_for_nvrtc(source));
  request.add(target.compiler.file.native());
  request.add(static_cast<std::uint64_t>(target.capability));
  return request.bytes();
}

/// The compiler's text without its request to report a crash, which is about the compiler.
std::string without_report_request(std::string_view said) {
  const std::size_t request = said.find("PLEASE submit a bug report");
  if (request == std::string_view::npos) {
    return std::string(said);
  }
  const std::size_t end = std::min(said.find('\n', request), said.size() - 1) + 1;
  return message(said.substr(0, request), said.substr(end));
}

/// The text that users see where the program of the compiler cannot be run.
std::string start_failure_text(const fs::path& program, std::string_view reason) {
  return message(
      "the compiler of kernels cannot be started: ", program.native(), ": ", reason,
      "\nExpected a program that this user may execute, on a file system without noexec, "
      "and that finds its libraries: `pip install --force-reinstall usmx` installs both");
}

std::string end_text(const child_result& ended) {
  const int status = ended.end_status.value();
  std::string text = WIFSIGNALED(status) ? message("signal ", WTERMSIG(status), " (",
                                                   strsignal(WTERMSIG(status)), ")")
                                         : message("exit status ", WEXITSTATUS(status));
  const std::string said = without_report_request(ended.said);
  if (!ended.has_taken_request) {
    return start_failure_text(
        compiler_program(),
        message("it ended with ", text, said.empty() ? "" : ", and said:\n", said));
  }
  return message("the compiler ended early, with ", text,
                 ": the source made it crash, or it took more memory or time than it may",
                 said.empty() ? "" : "\n", said);
}

/// Whether the compiler lacks a header of C++: one without a dot in its name.
bool lacks_host_headers(const diagnostic& error) {
  constexpr std::string_view end = "' file not found";
  return error.text.ends_with(end) && error.text.find('.') == std::string::npos;
}

/// Whether NVIDIA's compiler lacks a header of SYCL.
bool lacks_sycl_headers(const diagnostic& error) {
  return error.text.find("open source file \"sycl/") != std::string::npos;
}

/// The location of an error, as far as the compiler tells: "<source>:3:8: ".
std::string location_of(const diagnostic& error) {
  if (error.file.empty()) {
    return {};
  }
  const std::string column = error.column == 0 ? std::string() : message(':', error.column);
  return message(error.file, ':', error.line, column, ": ");
}

/// The errors that users see. One after the source comes with the notes that name a line of the
/// source, such as that of a brace that is open.
std::vector<diagnostic> shown_of(const std::vector<diagnostic>& said) {
  std::vector<diagnostic> shown;
  bool has_notes = false;
  for (const diagnostic& each : said) {
    const bool is_error = each.severity == severity::error;
    has_notes = is_error ? is_after_source(each) : has_notes;
    const bool is_note = each.severity == severity::note && has_notes && !is_after_source(each);
    if (is_error || is_note) {
      shown.push_back(each);
    }
  }
  return shown;
}

/// The text of a file of the program, by the name that users know; empty for none.
std::string_view text_of_file(std::string_view name, const program& of) {
  const auto found = std::ranges::find_if(
      of.files, [&](const auto& file) { return shown_file(file.first) == name; });
  return found == of.files.end() ? std::string_view() : std::string_view(found->second);
}

std::string_view line_of(std::string_view text, int line) {
  for (; line > 1 && !text.empty(); --line) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.substr(0, text.find_first_of("\r\n"));
}

/// The line of the source, and a mark under the column, which counts bytes; empty if there is none,
/// or none that fits on a terminal.
std::string marked_line(const diagnostic& error, const program& source) {
  constexpr std::size_t widest = 120;
  const std::string_view line = line_of(text_of_file(error.file, source), error.line);
  const auto before = static_cast<std::size_t>(std::max(error.column, 1) - 1);
  if (error.column == 0 || before > line.size() || line.size() > widest) {
    return {};
  }
  std::string mark;
  for (const char c : line.substr(0, before)) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {  // the first byte of a character
      mark += c == '\t' ? '\t' : ' ';
    }
  }
  return message("\n    ", line, "\n    ", mark, '^');
}

/// Names of CUDA and OpenCL, each with the name that it has here.
constexpr std::pair<std::string_view, std::string_view> names_from_elsewhere[] = {
    {"threadIdx", "usmx::local_id()"},
    {"blockIdx", "usmx::group_id()"},
    {"blockDim", "usmx::local_size()"},
    {"gridDim", "usmx::group_count()"},
    {"warpSize", "usmx::subgroup_size()"},
    {"__syncthreads", "usmx::barrier()"},
    {"__syncthreads_or", "usmx::group_any(condition)"},
    {"__syncthreads_and", "usmx::group_all(condition)"},
    {"__shared__", "usmx::local_array<float, 64> name"},
    {"__constant__", "constexpr, or a structure as a parameter"},
    {"__device__", "inline"},
    {"__half", "usmx::half"},
    {"half2", "a structure of two numbers of usmx::half"},
    {"__float2half", "usmx::half(value)"},
    {"__half2float", "float(value)"},
    {"float2", "usmx::complex<float>, or a structure of two numbers"},
    {"double2", "usmx::complex<double>, or a structure of two numbers"},
    {"int2", "a structure of two numbers"},
    {"float3", "a structure of three numbers"},
    {"float4", "a structure of four numbers"},
    {"int4", "a structure of four numbers"},
    {"double4", "a structure of four numbers"},
    {"make_float2", "usmx::complex<float>(x, y), or a structure of two numbers"},
    {"CUDART_INF_F", "INFINITY"},
    {"CUDART_INF", "INFINITY"},
    {"CUDART_NAN_F", "NAN"},
    {"CUDART_NAN", "NAN"},
    {"CUDART_PI_F", "M_PI"},
    {"CUDART_PI", "M_PI"},
    {"HUGE_VAL", "INFINITY"},
    {"FLT_MAX", "usmx::numeric_limits<float>::max()"},
    {"FLT_MIN", "usmx::numeric_limits<float>::min()"},
    {"FLT_EPSILON", "usmx::numeric_limits<float>::epsilon()"},
    {"DBL_MAX", "usmx::numeric_limits<double>::max()"},
    {"DBL_MIN", "usmx::numeric_limits<double>::min()"},
    {"DBL_EPSILON", "usmx::numeric_limits<double>::epsilon()"},
    {"INT_MAX", "usmx::numeric_limits<int>::max()"},
    {"INT_MIN", "usmx::numeric_limits<int>::min()"},
    {"UINT_MAX", "usmx::numeric_limits<unsigned>::max()"},
    {"LONG_MAX", "usmx::numeric_limits<long>::max()"},
    {"LONG_MIN", "usmx::numeric_limits<long>::min()"},
    {"atomicAdd", "usmx::atomic_add(x[i], value)"},
    {"atomicSub", "usmx::atomic_add(x[i], -value)"},
    {"atomicMin", "usmx::atomic_min(x[i], value)"},
    {"atomicMax", "usmx::atomic_max(x[i], value)"},
    {"atomicAnd", "usmx::atomic_and(x[i], value)"},
    {"atomicOr", "usmx::atomic_or(x[i], value)"},
    {"atomicXor", "usmx::atomic_xor(x[i], value)"},
    {"atomicExch", "usmx::atomic_exchange(x[i], value)"},
    {"atomicCAS", "usmx::atomic_compare_exchange(x[i], expected, value)"},
    {"__shfl_sync", "usmx::subgroup_shuffle(value, index)"},
    {"__shfl_down_sync", "usmx::subgroup_shuffle_down(value, distance)"},
    {"__shfl_up_sync", "usmx::subgroup_shuffle_up(value, distance)"},
    {"__shfl_xor_sync", "usmx::subgroup_shuffle_xor(value, mask)"},
    {"__any_sync", "usmx::subgroup_any(condition)"},
    {"__all_sync", "usmx::subgroup_all(condition)"},
    {"__reduce_add_sync", "usmx::subgroup_reduce_add(value)"},
    {"__popc", "usmx::popcount(value)"},
    {"__popcll", "usmx::popcount(value)"},
    {"__clzll", "usmx::clz(value)"},
    {"__ffs", "usmx::ctz(value) + 1, and 0 for 0"},
    {"__ldg", "*pointer, of a parameter that is a pointer to const"},
    {"__fdividef", "x / y"},
    {"__expf", "usmx::expf(value)"},
    {"__logf", "usmx::logf(value)"},
    {"__sinf", "usmx::sinf(value)"},
    {"__cosf", "usmx::cosf(value)"},
    {"__powf", "usmx::powf(x, y)"},
    {"__float_as_int", "__builtin_bit_cast(int, value)"},
    {"__int_as_float", "__builtin_bit_cast(float, value)"},
    {"__syncwarp", "usmx::barrier(), which the whole group waits at"},
    {"sincosf", "usmx::sinf(value) and usmx::cosf(value)"},
    {"sincos", "usmx::sin(value) and usmx::cos(value)"},
    {"thrust", "usmx::complex, without thrust::"},
    {"cub", "usmx::group_reduce_add(value), usmx::group_inclusive_scan_add(value) and the like"},
    {"__ballot_sync", "usmx::subgroup_any(condition) or usmx::subgroup_all(condition)"},
    {"__clz", "usmx::clz(value)"},
    {"get_global_id", "usmx::global_id()"},
    {"get_global_size", "usmx::global_size()"},
    {"get_local_id", "usmx::local_id()"},
    {"get_local_size", "usmx::local_size()"},
    {"get_group_id", "usmx::group_id()"},
    {"get_num_groups", "usmx::group_count()"},
    {"get_sub_group_size", "usmx::subgroup_size()"},
    {"get_sub_group_local_id", "usmx::subgroup_local_id()"},
    {"get_sub_group_id", "usmx::subgroup_id()"},
    {"get_num_sub_groups", "usmx::subgroup_count()"},
    {"barrier", "usmx::barrier()"},
    {"work_group_barrier", "usmx::barrier()"},
    {"CLK_LOCAL_MEM_FENCE", "usmx::barrier(), without arguments"},
    {"CLK_GLOBAL_MEM_FENCE", "usmx::barrier(), without arguments"},
    {"__kernel", "USMX_KERNEL(1) f(float* x) { ... }"},
    {"__global", "a pointer without it"},
    {"atomic_inc", "usmx::atomic_add(x[i], 1)"},
    {"atomic_dec", "usmx::atomic_add(x[i], -1)"},
    {"atomic_sub", "usmx::atomic_add(x[i], -value)"},
    {"mad", "usmx::fma(x, y, z)"},
    {"as_int", "__builtin_bit_cast(int, value)"},
    {"as_float", "__builtin_bit_cast(float, value)"},
    {"uint", "unsigned, or uint32_t"},
    {"uchar", "unsigned char, or uint8_t"},
    {"ushort", "unsigned short, or uint16_t"},
    {"ulong", "unsigned long, or uint64_t"},
    {"__local", "usmx::local_array<float, 64> name"},
    {"__constant", "constexpr, or a structure as a parameter"},
    {"atomic_xchg", "usmx::atomic_exchange(x[i], value)"},
    {"atomic_cmpxchg", "usmx::atomic_compare_exchange(x[i], expected, value)"},
    {"sub_group_shuffle", "usmx::subgroup_shuffle(value, index)"},
    {"sub_group_shuffle_down", "usmx::subgroup_shuffle_down(value, distance)"},
    {"sub_group_shuffle_up", "usmx::subgroup_shuffle_up(value, distance)"},
    {"sub_group_shuffle_xor", "usmx::subgroup_shuffle_xor(value, mask)"},
    {"sub_group_any", "usmx::subgroup_any(condition)"},
    {"sub_group_all", "usmx::subgroup_all(condition)"},
    {"work_group_any", "usmx::group_any(condition)"},
    {"work_group_all", "usmx::group_all(condition)"},
    {"sub_group_reduce_add", "usmx::subgroup_reduce_add(value)"},
    {"sub_group_reduce_min", "usmx::subgroup_reduce_min(value)"},
    {"sub_group_reduce_max", "usmx::subgroup_reduce_max(value)"},
    {"work_group_reduce_min", "usmx::group_reduce_min(value)"},
    {"work_group_reduce_max", "usmx::group_reduce_max(value)"},
    {"sub_group_scan_exclusive_add", "usmx::subgroup_exclusive_scan_add(value)"},
    {"work_group_scan_exclusive_add", "usmx::group_exclusive_scan_add(value)"},
    {"sub_group_broadcast", "usmx::subgroup_shuffle(value, index)"},
    {"_ind", "x.size() of a raw array x"},
    {"_in_ind", "n"},
    {"work_group_reduce_add", "usmx::group_reduce_add(value)"},
    {"sub_group_scan_inclusive_add", "usmx::subgroup_inclusive_scan_add(value)"},
    {"work_group_scan_inclusive_add", "usmx::group_inclusive_scan_add(value)"},
    {"std", "the functions of usmx/kernel.hpp, such as usmx::sqrt and usmx::numeric_limits"}};

/// The advice "; expected ..." on a name that the compiler does not know, and another language has.
std::string advice_on(const diagnostic& error) {
  const auto begins_with = [&](std::string_view words, std::string_view name, char quote) {
    return error.text.starts_with(message(words, quote, name, quote));
  };
  if (error.text.ends_with("&' cannot be used as the type of a kernel parameter")) {
    return "; expected a number or a structure by value, without '&'";
  }
  if (error.text.starts_with("experimental::printf requires format string")) {
    return "; expected a literal as its format";
  }
  for (const auto& [name, here] : names_from_elsewhere) {
    if (begins_with("use of undeclared identifier ", name, '\'') ||
        begins_with("unknown type name ", name, '\'') || begins_with("identifier ", name, '"')) {
      return message("; expected ", here);
    }
  }
  return {};
}

/// The text that users see of the compiler's errors.
std::string errors_text(const std::vector<diagnostic>& errors, const program& source) {
  std::string text = "the kernel's source cannot be compiled:";
  for (const diagnostic& each : errors) {
    text += "\n  ";
    text += location_of(each) + each.text + advice_on(each) + marked_line(each, source);
  }
  if (std::ranges::any_of(errors, is_after_source)) {
    text += "\n<usmx> is what usmx adds after the source, of which a brace may be open.";
  }
  if (std::ranges::any_of(errors, lacks_host_headers)) {
    text +=
        "\nThe headers of SYCL need the C++ headers of the host, which come with g++ or clang. "
        "<usmx/kernel.hpp> needs none.";
  }
  if (std::ranges::any_of(errors, lacks_sycl_headers)) {
    text +=
        "\nKernels for CUDA devices are compiled by NVIDIA's compiler, which does not take the "
        "headers of SYCL: <usmx/kernel.hpp> has what kernels need.";
  }
  return text;
}

/// The text that users see when there is no executable: the errors in the source, or the driver's
/// text if the compiler has no error.
std::string failure_text(const std::vector<diagnostic>& said, const program& source,
                         std::string_view log) {
  const std::vector<diagnostic> shown = shown_of(said);
  if (shown.empty()) {
    return driver_failure_text(log);
  }
  if (const auto missing = missing_kernel(shown.front(), source)) {
    return message("the kernel's source has no function '", *missing, "': expected USMX_KERNEL(1) ",
                   *missing, "(...) { ... }, outside of namespaces");
  }
  return errors_text(shown, source);
}

/// Lets a child compile a program, and throws compile_error if the compiler cannot be run, or takes
/// too long.
child_result run_compiler(const program& source, const compile_target& target,
                          const child_progress& progress, const compile_limits& limits) {
  const std::string request =
      std::visit([&](const auto& chosen) { return request_for(source, chosen); }, target);
  const fs::path by = compiler_program();
  std::optional<child_result> ended;
  try {
    ended = run_child(by, request, limits, progress);
  } catch (const std::system_error& failed) {
    throw compile_error(start_failure_text(by, failed.what()), {});
  }
  if (!ended) {
    throw compile_error(message("the compiler had not ended after ", limits.longest.count(),
                                " s, and was stopped: the source or the module makes it, or the "
                                "device's driver, wait or work for too long"),
                        {});
  }
  return *std::move(ended);
}

/// Whether the compiler crashed, other than by using up its time.
bool has_crashed(const child_result& ended) {
  return ended.end_status && ended.has_taken_request && WIFSIGNALED(*ended.end_status) &&
         WTERMSIG(*ended.end_status) != SIGXCPU && WTERMSIG(*ended.end_status) != SIGKILL;
}

/// The errors in a source at which the SYCL runtime's compiler crashed. It crashes after an error
/// that ends all work on templates, such as a missing file or the twentieth error, where the type
/// of a kernel's parameter is a template: so kernels are ordinary functions here, by a macro in the
/// place of the attributes' namespace. Brackets that fill its stack are an error, too.
std::vector<diagnostic> errors_behind_crash(const program& source, const compile_target& target,
                                            const child_progress& progress,
                                            const compile_limits& limits) {
  if (!std::holds_alternative<runtime_target>(target) || internal::is_spirv(source.text)) {
    return {};
  }
  program without_kernels = source;
  without_kernels.options.emplace_back("-D__sycl_detail__=usmx_no_kernels");
  without_kernels.options.emplace_back("-fbracket-depth=1000");
  const child_result ended = run_compiler(without_kernels, target, progress, limits);
  if (ended.end_status) {
    return {};
  }
  message_reader answer(ended.answer);
  std::vector<diagnostic> said = for_users(parse_diagnostics(compiled_program::from(answer).log));
  return shown_of(said).empty() ? std::vector<diagnostic>() : said;
}

}  // namespace

compile_target target_for(const sycl::device& device) {
  if (traits_of(device.get_backend()).compiler == kernel_compiler::nvrtc) {
    const int capability = cuda::compute_capability(device);
    return cuda_target{find_nvrtc(cuda::driver_major_version(), capability), capability};
  }
  return runtime_target{device};
}

std::string identity_of(const compile_target& target) {
  const auto* const cuda = std::get_if<cuda_target>(&target);
  return cuda == nullptr ? std::string()
                         : message(cuda->compiler.identity(), ", capability ", cuda->capability);
}

compiled_program compile(const program& source, const compile_target& target,
                         const child_progress& progress, const compile_limits& limits) {
  const child_result ended = run_compiler(source, target, progress, limits);
  if (has_crashed(ended)) {
    std::vector<diagnostic> said = errors_behind_crash(source, target, progress, limits);
    if (!said.empty()) {
      const std::string text = failure_text(said, source, {});
      throw compile_error(text, std::move(said));
    }
  }
  if (ended.end_status) {
    throw compile_error(end_text(ended), {});
  }
  message_reader answer(ended.answer);
  compiled_program made = compiled_program::from(answer);
  require_definitions(modules_of_syclbin(answer.text()));
  if (made.executable.empty()) {
    std::vector<diagnostic> said = for_users(parse_diagnostics(made.log));
    const std::string text = failure_text(said, source, made.log + ended.said);
    throw compile_error(text, std::move(said));
  }
  return made;
}

std::string driver_failure_text(std::string_view said) {
  return message(
      "the device's driver cannot load the kernel. It may lack functions that the kernel calls.\n",
      said);
}

}  // namespace usmx::inline v1::detail
