"""The files of a project whose functions are written in C++, for each language that calls them.

The functions are those of the examples: a kernel of its own, and a call to oneMKL. What binds them
is put together from the texts in examples/project/native, in which ``@word@`` stands for a value.
"""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

WIDTH = 100  # of the lines of C++


@dataclass(frozen=True)
class Function:
    """A function of C++ that takes arrays and numbers and returns an array."""

    name: str
    #: Name and type of each parameter: ``double``, or one of usmx's that states what it needs.
    parameters: tuple[tuple[str, str], ...]
    text: str
    subject: str
    usage: str  # in Python
    cpp_usage: str

    @property
    def arrays(self) -> list[str]:
        """The parameters that are arrays."""
        return [name for name, type_ in self.parameters if type_ != "double"]

    def listed(self, array: str, number: str, separator: str = ", ") -> str:
        """The parameters, each in the words for its type, which have ``{name}`` and ``{type_}``."""
        return separator.join(
            (number if type_ == "double" else array).format(name=name, type_=type_)
            for name, type_ in self.parameters
        )


@dataclass(frozen=True)
class Feature:
    """A part that a project may have, and the example that has its source and its test."""

    function: Function
    introduction: str
    sources: str
    components: str = ""
    libraries: str = "usmx::usmx"
    requirements: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()


#: What a C++ project has that asks for no feature.
ON_THE_HOST = Feature(
    function=Function(
        "scaled",
        (("x", "vector_argument"), ("factor", "double")),
        "",
        "",
        "",
        "const auto x = usmx::from_host(queue, {1.0, 2.0, 3.0}, usmx::usm_kind::shared);\n"
        "std::cout << scaled(vector_argument(x), 2).host_as<double, 1>() << '\\n';",
    ),
    introduction="",
    sources="a function that computes on the host",
)
FEATURES = {
    "kernel": Feature(
        function=Function(
            "scaled",
            (("x", "vector_argument"), ("factor", "double")),
            "Return a new array in memory of the same kind: `factor` times `x`, float64 in 1-D.",
            "Multiplies numbers on the device, by a kernel of its own.",
            'x = usmx.asarray([1.0, 2.0, 3.0], usm_type="device")\nprint({name}.scaled(x, 2))',
            ON_THE_HOST.function.cpp_usage,
        ),
        introduction="It has a kernel of its own, a string of SYCL which usmx compiles when it is "
        "first needed. A kernel that is written as a lambda would need a SYCL compiler; with other "
        "compilers usmx's headers make it an error.",
        sources="a function and its kernel",
    ),
    "onemkl": Feature(
        function=Function(
            "product",
            (("a", "matrix_argument"), ("b", "matrix_argument")),
            "Return the matrix product of two matrices in float64, on a's queue.",
            "The product of matrices, by oneMKL.",
            "y = usmx.asarray([[1.0, 2.0], [3.0, 4.0]])\nprint({name}.product(y, y))",
            "const matrix_argument y(\n"
            "    usmx::from_host(queue, {{1.0, 2.0}, {3.0, 4.0}}, usmx::usm_kind::shared));\n"
            "std::cout << product(y, y).host_as<double, 2>() << '\\n';",
        ),
        introduction="It calls oneMKL, which comes from PyPI: `onemkl-sycl-include` and "
        "`onemkl-sycl-blas` for building, `onemkl-sycl-blas` for running. For another domain of "
        "oneMKL, change `blas` in `CMakeLists.txt` and `pyproject.toml`.",
        sources="a function that calls oneMKL",
        components=" COMPONENTS onemkl_blas",
        libraries="usmx::onemkl_blas",
        requirements=("onemkl-sycl-include>=2026.2,<2027", "onemkl-sycl-blas>=2026.2,<2027"),
        dependencies=("onemkl-sycl-blas>=2026.2,<2027",),
    ),
}


@dataclass(frozen=True)
class Language:
    """How a project is built whose module is in that language."""

    title: str
    requirement: str
    packages: str
    module: str
    native: str
    compilers: str = "CXX"


PYTHON_PACKAGE = "find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)"
LANGUAGES = {
    "nanobind": Language(
        "nanobind",
        "nanobind==3.1.0",
        f"{PYTHON_PACKAGE}\nfind_package(nanobind 3.0 CONFIG REQUIRED)",
        "nanobind_add_module(_native NB_STATIC NB_SUPPRESS_WARNINGS {sources})",
        "bindings.cpp",
    ),
    "pybind11": Language(
        "pybind11",
        "pybind11>=3.0",
        "set(PYBIND11_FINDPYTHON ON)\nfind_package(pybind11 3 CONFIG REQUIRED)",
        "pybind11_add_module(_native {sources})",
        "bindings.cpp",
    ),
    "cython": Language(
        "Cython",
        "Cython>=3.1",
        PYTHON_PACKAGE,
        "set(native_c ${{CMAKE_CURRENT_BINARY_DIR}}/native.c)\n"
        "add_custom_command(\n"
        "  OUTPUT ${{native_c}}\n"
        "  DEPENDS src/native.pyx src/functions.h\n"
        "  COMMAND Python::Interpreter -m cython -3 --module-name _native\n"
        "    ${{CMAKE_CURRENT_SOURCE_DIR}}/src/native.pyx -o ${{native_c}})\n"
        "python_add_library(_native MODULE WITH_SOABI ${{native_c}} {sources})\n"
        "target_include_directories(_native PRIVATE src)",
        "native.pyx",
        "C CXX",
    ),
    "c": Language(
        "C",
        "",
        PYTHON_PACKAGE,
        "python_add_library(_native MODULE WITH_SOABI {sources})",
        "native.c",
        "C CXX",
    ),
}


def written(templates: Path, sources: dict[str, Path], language: str, name: str) -> dict[str, str]:
    """Return the project's files by their paths.

    ``sources`` are the examples of the features, by the features' names.
    """
    project = Project(templates, name, LANGUAGES[language], [FEATURES[each] for each in sources])
    files = {
        **project.native(language),
        "CMakeLists.txt": project.cmake(language),
        "pyproject.toml": project.pyproject(),
        "README.md": project.readme(),
        f"python/{name}/__init__.py": project.package(),
        f"python/{name}/_native.pyi": project.stub(),
        f"python/{name}/py.typed": "",
    }
    for feature, example in sources.items():
        for path in sorted((example / "src").glob(f"{FEATURES[feature].function.name}.*")):
            files[f"src/{path.name}"] = path.read_text(encoding="utf-8")
        for path in sorted((example / "tests").glob("*.py")):
            text = path.read_text(encoding="utf-8").replace(f"usmx_with_{feature}", name)
            files[f"tests/{path.name}"] = text
    return files


def written_in_cpp(
    templates: Path, sources: dict[str, Path], plain: Path, name: str
) -> dict[str, str]:
    """Return the files of a C++ project by their paths.

    Without a feature its function is that of the example ``plain``.
    """
    features = {FEATURES[each]: example for each, example in sources.items()} or {
        ON_THE_HOST: plain
    }
    project = CppProject(templates, name, list(features))
    files = {
        "CMakeLists.txt": project.cmake(),
        "CMakePresets.json": project.filled("CMakePresets.json"),
        "README.md": project.readme(),
        "src/main.cpp": project.main(),
        ".github/workflows/test.yml": project.workflow(),
    }
    for feature, example in features.items():
        for folder in ("src", "tests"):
            for path in sorted((example / folder).glob(f"*{feature.function.name}.[ch]pp")):
                files[f"{folder}/{path.name}"] = path.read_text(encoding="utf-8")
    return files


class AnyProject:
    """Parts that the files of every project have."""

    def __init__(self, templates: Path, name: str, features: list[Feature]) -> None:
        self.templates = templates
        self.name = name
        self.features = features
        self.functions = [feature.function for feature in features]

    def filled(self, template: str, **values: str) -> str:
        """Put values into a text in place of the words between @."""
        text = (self.templates / f"{template}.in").read_text(encoding="utf-8")
        values["name"] = self.name
        return re.sub(r"@(\w+)@", lambda found: values[found[1]], text)

    def includes(self) -> str:
        """The headers of the functions."""
        return "\n".join(sorted(f'#include "{each.name}.hpp"' for each in self.functions))

    def components(self) -> str:
        """The components of usmx's CMake package."""
        return "".join(feature.components for feature in self.features)

    def libraries(self) -> str:
        """The libraries to link; all of these link usmx::usmx."""
        libraries = {feature.libraries for feature in self.features}
        return " ".join(sorted(libraries - {"usmx::usmx"})) or "usmx::usmx"

    def source_rows(self) -> list[str]:
        """The rows of the README for the functions."""
        return [
            f"| `src/{feature.function.name}.hpp`, `.cpp` | {feature.sources} |"
            for feature in self.features
        ]

    def requirements(self) -> list[str]:
        """The requirements of a build, beside usmx and build tools."""
        return [each for feature in self.features for each in feature.requirements]


class CppProject(AnyProject):
    """A library and a program in C++ alone."""

    def cmake(self) -> str:
        """How it is built."""
        return self.filled(
            "cpp.CMakeLists.txt",
            components=self.components(),
            sources=" ".join(f"src/{each.name}.cpp" for each in self.functions),
            libraries=self.libraries(),
            tests=" ".join(f"test_{each.name}" for each in self.functions),
        )

    def main(self) -> str:
        """The program."""
        calls = "\n".join(each.cpp_usage for each in self.functions)
        return self.filled("main.cpp", includes=self.includes(), calls=textwrap.indent(calls, "  "))

    def readme(self) -> str:
        """The README: what the project is, and how it is built."""
        start = (
            "A library and a program in C++20 on arrays in SYCL unified shared memory, with usmx. "
        )
        start += "They need g++ or clang, and no SYCL compiler."
        texts = [
            start,
            *(feature.introduction for feature in self.features if feature.introduction),
        ]
        tests = ", ".join(f"`tests/test_{each.name}.cpp`" for each in self.functions)
        return self.filled(
            "cpp.README.md",
            introduction=wrapped(" ".join(texts)),
            sources="\n".join(self.source_rows()),
            tests=f"| {tests} | what it promises |",
            packages=quoted(["usmx>=0.1,<0.2", *self.requirements()]),
        )

    def workflow(self) -> str:
        """The tests on GitHub."""
        packages = quoted(["usmx>=0.1,<0.2", *self.requirements()])
        return self.filled("cpp.workflow.yml", packages=packages)


def wrapped(text: str) -> str:
    """Break a paragraph into lines."""
    return textwrap.fill(text, 120, break_on_hyphens=False)


def quoted(packages: list[str]) -> str:
    """Requirements as a shell takes them."""
    return " ".join(f'"{each}"' if re.search(r"[<>=]", each) else each for each in packages)


class Project(AnyProject):
    """A package of Python around a native module."""

    def __init__(
        self, templates: Path, name: str, language: Language, features: list[Feature]
    ) -> None:
        super().__init__(templates, name, features)
        self.language = language

    # ---- the module

    def native(self, language: str) -> dict[str, str]:
        """Return the sources that bind the functions."""
        if language in ("nanobind", "pybind11"):
            return {"src/bindings.cpp": self.bindings(language)}
        fill = self.cython if language == "cython" else self.c
        return {
            f"src/{self.language.native}": fill(),
            "src/functions.h": self.filled("functions.h", declarations=self.c_declarations(";")),
            "src/functions.cpp": self.c_functions(),
        }

    def bindings(self, library: str) -> str:
        """The module of a binding library."""
        short = {"nanobind": "nb", "pybind11": "py"}[library]
        named = f'{short}::arg("{{name}}")'
        guard = f"{short}::call_guard<{short}::gil_scoped_release>(),"
        lines = []
        for each in self.functions:
            first = f'module, "{each.name}", &{each.name}, {each.listed(named, named)},'
            lines += call("  usmx::python::def(", [first, guard, f'"{each.text}");'])
        return self.filled(f"{library}.cpp", includes=self.includes(), definitions="\n".join(lines))

    def c_declarations(self, end: str, indent: str = "") -> str:
        """The functions as C has them."""
        return "\n".join(
            f"{indent}usmx_owner* {each.name}_array("
            + each.listed("const usmx_owner* {name}", "double {name}")
            + f", function_failure* failed){end}"
            for each in self.functions
        )

    def c_functions(self) -> str:
        """The C++ that C calls."""
        heads = self.c_declarations(" {").split("\n")
        bodies = []
        for head, each in zip(heads, self.functions, strict=True):
            given = each.listed('argument<{type_}>({name}, "{name}")', "{name}")
            body = f"[&] {{ return {each.name}({given}); }}, failed);"
            bodies.append("\n".join([head, *call("  return result_of(", [body]), "}"]))
        return self.filled(
            "functions.cpp", includes=self.includes(), definitions="\n\n".join(bodies)
        )

    def c(self) -> str:
        """The module in C."""
        methods = [
            f'    {{"{each.name}", python_{each.name}, METH_VARARGS,\n'
            f'     "{each.name}({each.listed("{name}", "{name}")})\\n--\\n\\n"\n'
            f'     "{each.text}"}},'
            for each in self.functions
        ]
        functions = "\n".join(map(c_function, self.functions))
        return self.filled("native.c", functions=functions, methods="\n".join(methods))

    def cython(self) -> str:
        """The module in Cython."""
        declared = self.c_declarations(" nogil", indent="    ")
        functions = "\n\n\n".join(map(cython_function, self.functions))
        return self.filled("native.pyx", declarations=declared, functions=functions)

    # ---- the project

    def cmake(self, language: str) -> str:
        """How it is built."""
        files = [f"{each.name}.cpp" for each in self.functions]
        if language in ("nanobind", "pybind11"):
            files.insert(0, "bindings.cpp")
        else:
            files.insert(0, "functions.cpp")
            if language == "c":
                files.insert(0, "native.c")
        return self.filled(
            "CMakeLists.txt",
            languages=self.language.compilers,
            packages=self.language.packages,
            components=self.components(),
            module=self.language.module.format(sources=" ".join(f"src/{file}" for file in files)),
            libraries=self.libraries(),
        )

    def build_requirements(self) -> list[str]:
        """The requirements of a build, without usmx."""
        own = [self.language.requirement] if self.language.requirement else []
        return ["scikit-build-core>=1.0,<2", *own, *self.requirements()]

    def pyproject(self) -> str:
        """The pyproject.toml, with the requirements of building and running."""
        needed = ["usmx>=0.1,<0.2", *(d for feature in self.features for d in feature.dependencies)]
        required = [*self.build_requirements(), "usmx>=0.1,<0.2"]
        return self.filled(
            "pyproject.toml",
            requirements="\n".join(f'  "{each}",' for each in required),
            dependencies=", ".join(f'"{each}"' for each in needed),
            description=f"A native extension on USM arrays, in C++ and {self.language.title}"
            if self.language.native != "bindings.cpp"
            else f"A native extension on USM arrays, with {self.language.title}",
        )

    def package(self) -> str:
        """The package around the module."""
        names = sorted(each.name for each in self.functions)
        return self.filled(
            "__init__.py",
            subject=" ".join(each.subject for each in self.functions)
            if len(self.functions) == 1
            else "Functions on arrays in SYCL unified shared memory.",
            functions=", ".join(names),
            listed=", ".join(f'"{each}"' for each in names),
        )

    def stub(self) -> str:
        """The types of the functions."""
        lines = [
            f"def {each.name}("
            + each.listed("{name}: SupportsUsmArrayInterface", "{name}: float")
            + ") -> USMArray: ..."
            for each in self.functions
        ]
        return "\n".join(["from usmx import SupportsUsmArrayInterface, USMArray", "", *lines, ""])

    def readme(self) -> str:
        """The README: what the project is, and how it is built."""
        by = f"with {self.language.title} and usmx"
        if self.language.native != "bindings.cpp":
            by = f"in C++ and {self.language.title}, with usmx"
        start = f"A native extension for Python on arrays in SYCL unified shared memory, {by}. It "
        start += "needs C++20 with g++ or clang, and no SYCL compiler."
        introduction = [start, *(feature.introduction for feature in self.features)]
        native = {"bindings.cpp": "the native module"}.get(
            self.language.native, "the native module, which calls the functions in C++"
        )
        sources = [f"| `src/{self.language.native}` | {native} |"]
        if self.language.native != "bindings.cpp":
            sources += ["| `src/functions.h`, `src/functions.cpp` | the functions as C has them |"]
        sources += self.source_rows()
        tests = ", ".join(f"`tests/test_{each.name}.py`" for each in self.functions)
        packages = ["cmake", "ninja", "pytest", *self.build_requirements()]
        return self.filled(
            "README.md",
            introduction=wrapped(" ".join(introduction)),
            usage="\n".join(each.usage.format(name=self.name) for each in self.functions),
            sources="\n".join(sources),
            tests=f"| {tests} | what it promises |",
            packages=quoted(packages),
        )


def call(start: str, lines: list[str]) -> list[str]:
    """Write a call in C++ behind its start, or below it where that is too wide."""
    if len(start) + max(map(len, lines)) <= WIDTH:
        return [start + lines[0], *(" " * len(start) + line for line in lines[1:])]
    return [start, *("      " + line for line in lines)]


def c_function(function: Function) -> str:
    """A function of the module in C."""
    objects = "".join(f"  PyObject* {name}_object;\n" for name in function.arrays)
    numbers = [name for name, type_ in function.parameters if type_ == "double"]
    given = function.listed("&{name}_object", "&{name}")
    formats = function.listed("O", "d", "")
    taken = []
    for place, name in enumerate(function.arrays):
        call = f'array_argument({name}_object, "{name}")'
        first = f"{function.arrays[place - 1]} == NULL ? NULL : " if place else ""
        taken += [f"  usmx_owner* {name} = {first}{call};"]
    last = function.arrays[-1]
    lines = [
        f"static PyObject* python_{function.name}(PyObject* module, PyObject* arguments) {{",
        "  (void)module;",
        *objects.splitlines(),
        *(f"  double {name};" for name in numbers),
        f'  if (!PyArg_ParseTuple(arguments, "{formats}", {given})) {{',
        "    return NULL;",
        "  }",
        *taken,
        "  PyObject* made = NULL;",
        f"  if ({last} != NULL) {{",
        "    function_failure failed;",
        "    usmx_owner* result;",
        "    Py_BEGIN_ALLOW_THREADS",
        f"    result = {function.name}_array({function.listed('{name}', '{name}')}, &failed);",
        "    Py_END_ALLOW_THREADS",
        "    made = result_object(result, &failed);",
        "  }",
        *(f"  usmx->release({name});" for name in reversed(function.arrays)),
        "  return made;",
        "}",
        "",
    ]
    return "\n".join(lines)


def cython_function(function: Function) -> str:
    """A function of the module in Cython."""
    arrays = function.arrays
    given = function.listed("{name}", "double {name}")
    owners = function.listed("{name}_owner", "{name}")
    lines = [
        f"def {function.name}({given}):",
        f'    """{function.text}"""',
        *(f"    cdef usmx_owner* {name}_owner = NULL" for name in arrays),
        "    cdef usmx_owner* result",
        "    cdef function_failure failed",
        "    try:",
        *(f'        {name}_owner = array_argument({name}, "{name}")' for name in arrays),
        "        with nogil:",
        f"            result = {function.name}_array({owners}, &failed)",
        "        return result_object(result, &failed)",
        "    finally:",
        *(f"        usmx.release({name}_owner)" for name in reversed(arrays)),
    ]
    return "\n".join(lines)
