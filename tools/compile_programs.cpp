// compile_programs REQUESTS FILE COMPILER [NVRTC]: run by the build. Compiles usmx's own groups of
// kernels, and the programs of the requests in a folder (tools/package_kernels.py) if it is not
// "none", by the SYCL runtime's own compiler, and writes them to the file of the package
// (src/kernels/compile/packaged_programs.hpp). A program that cannot be compiled here, for want of
// a device or a compiler, is left out, and compiled when it is first needed. What the file has,
// from an earlier build with this compiler, which is a library, is kept.
//
// With NVRTC, a library, the groups are compiled to PTX besides, which needs no GPU: text that the
// driver of each CUDA device builds for itself.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/exception.hpp>

#include "kernels/compile/by_runtime.hpp"
#include "kernels/compile/child.hpp"
#include "kernels/compile/nvrtc.hpp"
#include "kernels/compile/packaged_programs.hpp"
#include "kernels/compile/program.hpp"
#include "kernels/compile/spirv.hpp"
#include "kernels/group_programs.hpp"

namespace {

namespace fs = std::filesystem;
using namespace usmx::detail;
using named_program = packaged_programs::named_program;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

using program_map = std::map<program_key, program>;

void add_groups(program_map& to, std::span<const kernel_shape> shapes) {
  for (const kernel_group group : all_kernel_groups) {
    for (const kernel_shape shape : shapes) {
      if (shape == kernel_shape::tiled && group == kernel_group::cast_integer_double) {
        continue;  // every CUDA device has double precision
      }
      program made = program_of(group, shape);
      const program_key key = key_of(made);
      to.emplace(key, std::move(made));
    }
  }
}

/// Each program once.
program_map programs_in(const fs::path& folder) {
  program_map all;
  if (folder == "none") {
    return all;
  }
  for (const fs::directory_entry& each : fs::directory_iterator(folder)) {
    const std::string content = content_of(each.path());
    message_reader request(content);
    if (request.text() == runtime_name) {
      program taken = take_program(request);
      const program_key key = key_of(taken);
      all.emplace(key, std::move(taken));
    }
  }
  return all;
}

void add(message_writer& to, const program_key& key, const packaged_program& made) {
  to.add(key.hash);
  to.add(key.nbytes);
  to.add(made.object);
  to.add(made.log);
}

/// Compiles in one process.
class compiler {
 public:
  /// Throws where the library could not use it as it is.
  packaged_program compiled(const program& source) const {
    program whole = source;
    // Kernels with sub-groups of different sizes would be several images.
    whole.options.emplace_back(one_image_option);
    std::string log;
    const std::string object = object_of(whole, log);
    if (read_syclbin(object).images.size() != 1) {
      throw std::runtime_error("expected one image");
    }
    const std::vector<usmx::diagnostic> said = parse_diagnostics(log);
    packaged_program made{object, {}};
    for (std::size_t k = 0; k < source.kernels.size(); ++k) {
      require_kernel(object, source.kernels[k]);
      made.log += dimensions_text(source, k, dimensions_in(said, source, k));
    }
    return made;
  }

  /// Several at once, for which the compiler takes a tenth of the time. Each gets its image.
  std::vector<packaged_program> compiled(std::span<const program* const> sources) const {
    program all = joined(sources);
    all.options.emplace_back("-fsycl-device-code-split=per_kernel");
    std::string log;
    const std::string object = object_of(all, log);
    const syclbin parts = read_syclbin(object);
    const std::vector<usmx::diagnostic> said = parse_diagnostics(log);
    std::vector<packaged_program> made;
    for (std::size_t k = 0; k < sources.size(); ++k) {
      syclbin_image image = image_of(parts, all.kernels[k]);
      // Where the runtime keeps it when it links and saves the image.
      const std::string metadata =
          std::string(image.metadata) + "[usmx/signatures]\n" + signature_at(object, k) + "=1|1\n";
      image.metadata = metadata;
      made.push_back({write_syclbin(parts.metadata, image),
                      dimensions_text(*sources[k], 0, dimensions_in(said, all, k))});
    }
    return made;
  }

 private:
  /// Throws unless the object has the kernel: the compiler leaves out, without a word, what does
  /// not suit its devices. An object cannot be asked, and building it to ask takes seconds; but the
  /// names of its entry points stand in it.
  static void require_kernel(std::string_view object, const std::string& name) {
    if (object.find(std::string_view(name.c_str(), name.size() + 1)) == object.npos) {
      throw std::runtime_error("the object lacks the kernel " + name);
    }
  }

  std::string object_of(const program& source, std::string& log) const {
    auto bundle = source_bundle_of(source, context_);
    const std::vector<char> content =
        object_bundle_of(bundle, source, device_, log).ext_oneapi_get_content();
    std::string object(content.begin(), content.end());
    require_definitions(modules_of_syclbin(object));
    return object;
  }

  static syclbin_image image_of(const syclbin& parts, const std::string& kernel) {
    for (const syclbin_image& each : parts.images) {
      if (each.metadata.find("\n__sycl_kernel_" + kernel + '=') != std::string_view::npos) {
        return each;
      }
    }
    throw std::runtime_error("no image has the kernel " + kernel);
  }

  sycl::device device_;
  sycl::context context_{device_};
};

/// Programs that are compiled at once: one, or several whose kernels have different names.
using group = std::vector<const std::pair<const program_key, program>*>;

bool fits(const group& into, const program& source) {
  constexpr std::size_t most = 50;
  return into.size() < most && std::ranges::all_of(
                                   into,
                                   [&](const auto* each) {
                                     return is_joinable(each->second) &&
                                            each->second.options == source.options &&
                                            each->second.kernels != source.kernels;
                                   });
}

/// The programs of the file that an earlier build has made.
packaged_programs made_before(const fs::path& file, const fs::path& compiler) {
  std::error_code missing;
  const auto made = fs::last_write_time(file, missing);
  const bool is_current = !missing && made > fs::last_write_time(compiler, missing) &&
                          made > fs::last_write_time("/proc/self/exe", missing);
  return packaged_programs(is_current && !missing ? file : fs::path());
}

std::vector<group> groups_of(const program_map& all) {
  std::vector<group> groups;
  for (const auto& each : all) {
    const bool is_joinable_one = is_joinable(each.second);
    const auto found = std::ranges::find_if(
        groups, [&](const group& into) { return is_joinable_one && fits(into, each.second); });
    (found == groups.end() ? groups.emplace_back() : *found).push_back(&each);
  }
  // The large ones first, so that processes that share them end at the same time.
  std::ranges::stable_sort(groups, std::greater<>(), &group::size);
  return groups;
}

void add_single(message_writer& to, const compiler& by, const group& programs) {
  for (const auto* each : programs) {
    try {
      add(to, each->first, by.compiled(each->second));
    } catch (const std::exception& failed) {
      std::cerr << "compile_programs: " << each->second.kernels.front()
                << " will be compiled when it is first used: " << failed.what() << '\n';
    }
  }
}

void add_group(message_writer& to, const compiler& by, const group& programs) {
  if (programs.size() == 1) {
    return add_single(to, by, programs);
  }
  try {
    std::vector<const program*> sources;
    for (const auto* each : programs) {
      sources.push_back(&each->second);
    }
    const std::vector<packaged_program> made = by.compiled(sources);
    for (std::size_t k = 0; k < programs.size(); ++k) {
      add(to, programs[k]->first, made[k]);
    }
  } catch (const std::exception& failed) {
    std::cerr << "compile_programs: " << programs.size()
              << " programs cannot be compiled at once: " << failed.what() << '\n';
    add_single(to, by, programs);
  }
}

/// Compiles each `step`-th group, and writes what was made to the file. Returns the exit status.
int compile_share(const std::vector<group>& groups, std::size_t first, std::size_t step,
                  const fs::path& file) try {
  const compiler by;
  message_writer made;
  for (std::size_t k = first; k < groups.size(); k += step) {
    add_group(made, by, groups[k]);
  }
  return std::ofstream(file, std::ios::binary) << made.bytes() << std::flush ? EXIT_SUCCESS
                                                                             : EXIT_FAILURE;
} catch (const std::exception& failed) {
  std::cerr << "compile_programs: " << failed.what() << '\n';
  return EXIT_FAILURE;
}

/// PTX for all devices whose shared memory moves by itself. Throws std::runtime_error.
packaged_program ptx_of(const program& source, const std::string& compiler) {
  program taken = as_for_nvrtc(source);
  nvrtc_result made = compile_by_nvrtc({.library = compiler,
                                        .capability = 60,
                                        .is_for_newer = true,
                                        .text = std::move(taken.text),
                                        .options = std::move(taken.options),
                                        .files = std::move(taken.files)});
  if (made.code.empty()) {
    throw std::runtime_error(made.log);
  }
  made.code.resize(made.code.find('\0'));
  return {std::move(made.code), {}};
}

std::vector<named_program> made_in(const std::string& content) {
  std::vector<named_program> all;
  message_reader made(content);
  while (!made.at_end()) {
    const std::uint64_t hash = made.number();
    const std::uint64_t nbytes = made.number();
    std::string object(made.text());
    all.push_back({{hash, nbytes}, {std::move(object), std::string(made.text())}});
  }
  return all;
}

/// Takes the programs that an earlier build has made out of all.
std::vector<named_program> taken_from(const packaged_programs& before, program_map& all) {
  std::vector<named_program> taken;
  std::erase_if(all, [&](const auto& each) {
    auto found = before.find(each.second);
    if (found) {
      taken.push_back({each.first, *std::move(found)});
    }
    return found.has_value();
  });
  return taken;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4 && count != 5) {
    std::cerr << "usage: compile_programs REQUESTS FILE COMPILER [NVRTC]\n";
    return 2;
  }
  const fs::path file = arguments[2];
  const std::string nvrtc = count == 5 ? arguments[4] : "";
  program_map all = programs_in(arguments[1]);
  add_groups(all, all_kernel_shapes);
  program_map for_cuda;
  if (!nvrtc.empty()) {
    constexpr kernel_shape tiled[] = {kernel_shape::tiled};
    add_groups(for_cuda, tiled);
  }
  const std::size_t wanted = all.size() + for_cuda.size();
  const packaged_programs before = made_before(file, arguments[3]);
  std::vector<named_program> made = taken_from(before, all);
  std::ranges::move(taken_from(before, for_cuda), std::back_inserter(made));
  const std::vector<group> groups = groups_of(all);
  // The runtime compiles one program at a time in a process. It is first used in the children.
  const std::size_t processes = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
  const auto part_of = [&](std::size_t k) {
    return fs::path(file).concat("." + std::to_string(k));
  };
  std::vector<pid_t> children;
  for (std::size_t k = 0; k < processes; ++k) {
    children.push_back(::fork());
    if (children.back() < 0) {
      throw std::runtime_error("no process can be started");
    }
    if (children.back() == 0) {
      ::_exit(compile_share(groups, k, processes, part_of(k)));
    }
  }
  for (const auto& [key, source] : for_cuda) {
    try {
      made.push_back({key, ptx_of(source, nvrtc)});
    } catch (const std::exception& failed) {
      std::cerr << "compile_programs: for CUDA devices: " << failed.what() << '\n';
    }
  }
  for (std::size_t k = 0; k < processes; ++k) {
    int status = 0;
    ::waitpid(children[k], &status, 0);
    if (status == 0) {
      std::ranges::move(made_in(content_of(part_of(k))), std::back_inserter(made));
    }
    fs::remove(part_of(k));
  }
  packaged_programs::write(file, made);
  std::cout << "compile_programs: " << made.size() << " of " << wanted << " programs, "
            << all.size() + for_cuda.size() << " compiled\n";
  return 0;
} catch (const std::exception& failed) {
  std::cerr << "compile_programs: " << failed.what() << '\n';
  return 1;
}
