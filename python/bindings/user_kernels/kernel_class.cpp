#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "elements/element.hpp"
#include "objects/waiting.hpp"
#include "support/arguments.hpp"
#include "support/declare.hpp"
#include "support/errors.hpp"
#include "support/hooks.hpp"
#include "sycl_objects/classes.hpp"
#include "sycl_objects/dpctl.hpp"
#include "user_kernels/user_kernels.hpp"
#include "usmx/base/process.hpp"

namespace usmx::bindings {
namespace {

/// The compiler's messages as Python's tuples (file, line, column, severity, text).
/// Makes a string of a compiler's text. It may repeat bytes of a damaged module: those that are no
/// UTF-8 are replaced.
nb::object said_text(std::string_view text) {
  return checked(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::list to_tuples(const std::vector<diagnostic>& all) {
  constexpr const char* names[] = {"note", "warning", "error"};
  nb::list tuples;
  for (const diagnostic& each : all) {
    tuples.append(nb::make_tuple(said_text(each.file), each.line, each.column,
                                 names[static_cast<std::size_t>(each.severity)],
                                 said_text(each.text)));
  }
  return tuples;
}

}  // namespace

progress_line::~progress_line() {
  if (!is_shown_) {
    return;
  }
  const nb::error_scope kept;
  try {
    tell(std::chrono::seconds(0));
  } catch (nb::python_error& failed) {
    run_python([&] { failed.discard_as_unraisable("usmx.Kernel"); });
  } catch (const std::exception&) {
    // There is no memory, or the package is gone: the line stays.
  }
}

void progress_line::show(std::chrono::seconds passed) {
  const with_interpreter_lock locked;
  is_shown_ = true;
  tell(passed);
}

void progress_line::tell(std::chrono::seconds passed) const {
  hooks::compile_progress(nb::cast(names_), passed.count());
}

void raise_compile_error(const compile_error& failed) {
  const nb::object error =
      hooks::compile_error(said_text(failed.what()), to_tuples(failed.diagnostics()));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  nb::raise_python_error();
}

void warn_of(const std::vector<diagnostic>& said) { hooks::compile_warnings(to_tuples(said)); }

nb::object compile_arguments(nb::handle defines, nb::handle headers, nb::handle options) {
  if (options.is_none()) {
    throw_wrong_type("options", "a sequence of strings", options.ptr());
  }
  return hooks::compile_arguments(defines, headers, options);
}

namespace {

using text_pairs = std::vector<std::pair<std::string, std::string>>;

nb::dict mapping_of(const text_pairs& pairs) {
  nb::dict all;
  for (const auto& [name, text] : pairs) {
    all[nb::cast(name)] = text;
  }
  return all;
}

/// The kernels of one source, compiled for each device that they are launched on.
class compiled_source {
 public:
  compiled_source(std::string source, std::vector<std::string> names, compile_options options)
      : source_(std::move(source)), names_(std::move(names)), options_(std::move(options)) {}

  /// The kernels, compiled for a device if they were not yet. Raises CompileError. The first time,
  /// the compiler's warnings become Python's.
  internal::held_kernels compiled_for(const sycl::queue& queue) {
    if (auto known = compiled_.find(queue, only_key())) {
      return known;
    }
    return compiled_.add(queue, only_key(), compile(queue));
  }
  const std::vector<std::string>& names() const noexcept { return names_; }
  /// The arguments of a Kernel's constructor for one of the kernels, by their names.
  nb::dict keywords(std::size_t index) const {
    nb::dict all;
    all["source"] = internal::is_spirv(source_)
                        ? nb::object(nb::bytes(source_.data(), source_.size()))
                        : nb::cast(source_);
    all["name"] = names_[index];
    all["defines"] = mapping_of(options_.defines);
    all["headers"] = mapping_of(options_.headers);
    all["options"] = nb::tuple(nb::cast(options_.options));
    all["debug"] = options_.debug;
    return all;
  }

 private:
  using only_key = std::monostate;

  std::vector<kernel> compile(const sycl::queue& queue) {
    progress_line line(names_);
    compile_options options = options_;
    options.progress = [&](std::chrono::seconds passed) { line.show(passed); };
    try {
      std::vector<kernel> made = [&] {
        const without_interpreter_lock unlocked;
        return kernel::compile(queue, source_, names_, options);
      }();
      if (compiled_.empty() && !made.empty() && !made.front().warnings().empty()) {
        warn_of(made.front().warnings());
      }
      return made;
    } catch (const compile_error& failed) {
      raise_compile_error(failed);
    }
  }

  std::string source_;
  std::vector<std::string> names_;
  compile_options options_;
  internal::compiled_kernels<only_key> compiled_;
};

/// The contents of a usmx.Kernel.
struct py_kernel {
  std::shared_ptr<compiled_source> source;
  std::size_t index;
  kernel_signature signature;
};

std::shared_ptr<compiled_source> new_source(std::string source, std::vector<std::string> names,
                                            text_pairs defines, text_pairs headers,
                                            std::vector<std::string> options, bool debug) {
  require_usable_process();
  return std::make_shared<compiled_source>(
      std::move(source), std::move(names),
      compile_options{std::move(defines), std::move(headers), std::move(options), debug});
}

/// A source: text, or the bytes of a module of SPIR-V.
std::string source_argument(nb::handle source) {
  if (!PyBytes_Check(source.ptr())) {
    return std::string(to_text("source", source.ptr()));
  }
  std::string module(PyBytes_AS_STRING(source.ptr()),
                     static_cast<std::size_t>(PyBytes_GET_SIZE(source.ptr())));
  if (!internal::is_spirv(module)) {
    throw value_error(
        detail::message("source must be text, or the bytes of a module of SPIR-V, which begin with "
                        "03 02 23 07, found ",
                        nb::cast<nb::str>(hooks::short_repr(source)).c_str()));
  }
  return module;
}

py_kernel kernel_at(std::shared_ptr<compiled_source> source, std::size_t index) {
  const sycl::queue queue = internal::presented_queue(internal::default_queue());
  kernel_signature signature = (*source->compiled_for(queue))[index].signature();
  return {std::move(source), index, std::move(signature)};
}

// ---- launching

counts sizes_argument(const char* what, nb::handle sizes) {
  if (PyIndex_Check(sizes.ptr())) {
    return counts(what, nb::make_tuple(sizes).ptr());
  }
  return counts(what, sizes.ptr());
}

std::array<std::size_t, 3> to_sizes(const char* what, std::span<const std::ptrdiff_t> found) {
  if (found.empty() || found.size() > 3) {
    throw_failure(
        failure::kernel_range,
        detail::message(what, " must have 1 to 3 dimensions, found ", found.size()).c_str());
  }
  std::array<std::size_t, 3> sizes{};
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] < 0) {
      throw value_error(detail::message(what, " must not be negative, found ", found[k]));
    }
    sizes[k] = static_cast<std::size_t>(found[k]);
  }
  return sizes;
}

launch_sizes sizes_of(nb::handle global, nb::handle local) {
  const counts all = sizes_argument("global_size", global);
  launch_sizes sizes{static_cast<int>(all.span().size()), to_sizes("global_size", all.span()), {}};
  if (!local.is_none()) {
    const counts group = sizes_argument("local_size", local);
    if (group.span().size() != all.span().size()) {
      throw value_error(detail::message("local_size must have as many dimensions as global_size, ",
                                        all.span().size(), ", found ", group.span().size()));
    }
    sizes.local = to_sizes("local_size", group.span());
  }
  return sizes;
}

sycl::queue launch_queue(nb::handle queue, const launch_arguments& arguments,
                         const kernel_signature& signature) {
  if (!queue.is_none()) {
    return internal::presented_queue(queue_argument(queue, nb::none()));
  }
  const sycl::queue* common = queue_of_all(signature.name, arguments.all());
  return internal::presented_queue(common == nullptr ? internal::default_queue() : *common);
}

/// Refuses CuPy's form of a launch: blocks, threads, and a tuple or a list of arguments.
void require_no_tuple(const py_kernel& kernel, nb::args given) {
  const bool is_one = given.size() == 1;
  const bool is_list =
      is_one && PyList_Check(given[0].ptr()) && kernel.signature.parameters.size() != 1;
  if (is_list || (is_one && PyTuple_Check(given[0].ptr()))) {
    throw type_error(
        detail::message(kernel.signature.name,
                        " takes the number of all work items, that of a group, and its "
                        "arguments one by one, as in ",
                        kernel.signature.name,
                        "(blocks * threads, threads, x, y), "
                        "found one ",
                        is_list ? "list" : "tuple",
                        " of arguments, as CuPy takes them after (blocks,) and (threads,)"));
  }
}

nb::object launch(const py_kernel& self, nb::handle global, nb::handle local, nb::args given,
                  nb::handle queue, nb::handle after, bool waits) {
  require_usable_process();
  look_for_peers();
  require_no_tuple(self, given);
  const launch_sizes sizes = sizes_of(global, local);
  const std::vector<sycl::event> events = events_argument(after);
  PyObject* const* first = reinterpret_cast<PyTupleObject*>(given.ptr())->ob_item;
  const launch_arguments arguments({first, given.size()}, self.signature);
  const sycl::queue where = launch_queue(queue, arguments, self.signature);
  const internal::held_kernels compiled = self.source->compiled_for(where);
  return event_object(launching(self.signature.name, [&] {
    const without_interpreter_lock unlocked;
    const kernel& chosen = (*compiled)[self.index];
    return waits ? chosen.launch(sizes, arguments.all(), &where, events)
                 : chosen.launch_async(sizes, arguments.all(), &where, events);
  }));
}

nb::list compile_kernels(nb::handle source, std::vector<std::string> names, text_pairs defines,
                         text_pairs headers, std::vector<std::string> options, bool debug) {
  const auto shared = new_source(source_argument(source), std::move(names), std::move(defines),
                                 std::move(headers), std::move(options), debug);
  nb::list kernels;
  for (std::size_t k = 0; k < shared->names().size(); ++k) {
    kernels.append(make_instance(kernel_at(shared, k)));
  }
  return kernels;
}

void bind_local_memory(nb::module_& m) {
  nb::class_<py_local_memory> cls(m, "local_memory",
                                  "Memory that the work items of a group share: an argument for a "
                                  "parameter usmx::local_memory.");
  set_python_class<py_local_memory>(cls);
  declare<"def __init__(self, dtype: DTypeLike, n: SupportsIndex) -> None">(
      cls, init_by(+[](nb::handle type, nb::handle n) {
        if (type.is_none()) {  // float64 elsewhere
          throw_wrong_type("dtype", "an element type", type.ptr());
        }
        const std::ptrdiff_t count = to_count("n", "an integer", n.ptr());
        if (count < 1) {
          throw value_error(detail::message("n must be at least 1, found ", count));
        }
        return py_local_memory{dtype_argument(type), static_cast<std::size_t>(count)};
      }),
      docstring("local_memory.__init__"));
  cls.def_prop_ro(
      "_written",
      [](const py_local_memory& self) {
        nb::dict all;
        all["dtype"] = to_numpy_dtype(self.type);
        all["n"] = self.count;
        return all;
      },
      "The arguments of the constructor.");
}

}  // namespace

std::vector<sycl::event> events_argument(nb::handle after) {
  std::vector<sycl::event> events;
  const nb::object all = snapshot("after", "a tuple or list of events", after.ptr());
  for (nb::handle each : all) {
    events.push_back(event_argument("an event of after", each));
  }
  return events;
}

void bind_user_kernels(nb::module_& m) {
  bind_local_memory(m);
  nb::class_<py_kernel> cls(
      m, "Kernel",
      "A kernel from SYCL source that is compiled at run time. Its launches check every argument.");
  set_python_class<py_kernel>(cls);
  declare<
      "def __init__(self, source: str | bytes, name: str, *, defines: Mapping[str, object] | None "
      "= None, headers: Mapping[str, str] | None = None, options: Sequence[str] = (), debug: bool "
      "= False) -> None">(
      cls,
      init_by(+[](nb::handle source, nb::handle name, nb::handle defines, nb::handle headers,
                  nb::handle options, bool debug) {
        const nb::object parts = compile_arguments(defines, headers, options);
        return kernel_at(
            new_source(source_argument(source), {std::string(to_text("name", name.ptr()))},
                       nb::cast<text_pairs>(parts[0]), nb::cast<text_pairs>(parts[1]),
                       nb::cast<std::vector<std::string>>(parts[2]), debug),
            0);
      }),
      docstring("Kernel.__init__"));
  declare<
      "def __call__(self, global_size: Shape, local_size: Shape | None, *args: object, queue: "
      "QueueLike | None = None, after: Sequence[object] = (), wait: bool = True) -> SyclEvent">(
      cls,
      [](const py_kernel& self, nb::handle global, nb::handle local, nb::args arguments,
         nb::handle queue, nb::handle after, nb::handle wait) {
        return launch(self, global, local, arguments, queue, after, flag_argument("wait", wait));
      },
      docstring("Kernel.__call__"));
  cls.def_prop_ro(
         "signature", [](const py_kernel& self) { return to_string(self.signature); },
         "The kernel as in C++, such as 'axpy(float, const float*, float*)'.")
      .def_prop_ro(
          "name", [](const py_kernel& self) { return self.signature.name; },
          "The name of the kernel.")
      .def_prop_ro(
          "_written", [](const py_kernel& self) { return self.source->keywords(self.index); },
          "The arguments of the constructor.")
      .def("__repr__",
           [](const py_kernel& self) { return "<usmx.Kernel " + to_string(self.signature) + ">"; });
  declare<
      "def _compile_kernels(source: str | bytes, names: list[str], defines: list[tuple[str, str]], "
      "headers: list[tuple[str, str]], options: list[str], debug: bool, /) -> list[Kernel]">(
      m, &compile_kernels, "Kernels of one source, which is compiled once.");
}

}  // namespace usmx::bindings
