"""What generated kernels have in common: their parameters, types, and the loops in their source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from usmx import _core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from usmx._core import Kernel

C_TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long",
    "float16": "_Float16",
    "float32": "float",
    "float64": "double",
    "complex64": "usmx::complex<float>",
    "complex128": "usmx::complex<double>",
}
"""The types of elements that kernels compute with, by their names."""


class Parameter(NamedTuple):
    """A parameter as it is written: ``T x``."""

    type: str
    """A name of a type; one character stands for any type."""
    name: str

    @property
    def is_variable(self) -> bool:
        """Whether any type will do."""
        return len(self.type) == 1


def parse_parameters(what: str, text: str) -> list[Parameter]:
    """The parameters of a text such as ``'T x, float32 y'``.

    Raises:
        TypeError: `text` is no string.
        ValueError: a parameter is not written so, or its type is unknown.
    """
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a string, found {type(text).__name__}")
    parsed = [_parse_parameter(what, each) for each in text.split(",")] if text.strip() else []
    return parsed


def _parse_parameter(what, text):
    words = text.split()
    if len(words) != 2 or not words[1].isidentifier() or not words[1].isascii():
        raise ValueError(
            f"{what} must be pairs of type and name with commas between them, "
            f"found {text.strip()!r}"
        )
    kind, name = words
    if name == "i" or name.startswith("usmx"):
        raise ValueError(f"{what} must not use the name {name!r}, which kernels have already")
    if len(kind) == 1:
        if not kind.isalpha() or not kind.isascii():
            raise ValueError(f"{what}: a type variable must be a letter, found {kind!r}")
        return Parameter(kind, name)
    return Parameter(_type_name(f"{what}: the type of {name!r}", kind), name)


def _type_name(what, kind):
    try:
        found = _core._dtype(kind).name
    except (TypeError, ValueError):
        found = None
    if found not in C_TYPES:
        raise ValueError(f"{what} must be one of {', '.join(C_TYPES)}, found {kind!r}")
    return found


def choose_types(
    name: str,
    parameters: Sequence[Parameter],
    found: Sequence[tuple[str, bool] | None],
    dtype: str | None,
) -> list[tuple[str, str]]:
    """The type of each parameter, by its name and as C++ spells it.

    Args:
        name: that of the kernel, for errors.
        parameters: all of them, outputs last.
        found: for each the type of the argument, and whether it is an array; None for an output
            that was not given.
        dtype: what stands for variables that no array names.

    Raises:
        TypeError: an array has another type, or a variable stands for two types, or none.
    """
    variables: dict[str, tuple[str, str]] = {}  # and who says so
    for parameter, argument in zip(parameters, found, strict=True):
        if argument is not None and argument[1]:
            _match(name, parameter, argument[0], variables)
    _name_rest(name, parameters, found, dtype, variables)
    names = [variables[each.type][0] if each.is_variable else each.type for each in parameters]
    return [(each, C_TYPES[each]) for each in names]


def _match(name, parameter, found, variables):
    """An array's type is that of its parameter."""
    if found not in C_TYPES:
        raise TypeError(
            f"{name}: argument {parameter.name!r} must have elements of one of "
            f"{', '.join(C_TYPES)}, found {found}"
        )
    if not parameter.is_variable:
        if found != parameter.type:
            raise TypeError(
                f"{name}: argument {parameter.name!r} must have elements of {parameter.type}, "
                f"found {found}"
            )
        return
    known, by = variables.setdefault(parameter.type, (found, f"argument {parameter.name!r}"))
    if known != found:
        raise TypeError(
            f"{name}: argument {parameter.name!r} must have elements of {known}, which is "
            f"{parameter.type} by {by}, found {found}"
        )


def _name_rest(name, parameters, found, dtype, variables):
    """Variables of which there is no array: by `dtype`, or by the widest number."""
    if dtype is not None:
        if dtype not in C_TYPES:
            raise TypeError(f"{name}: dtype must be one of {', '.join(C_TYPES)}, found {dtype}")
        missing = [each.type for each in parameters if each.is_variable]
        for each in dict.fromkeys(missing):
            variables.setdefault(each, (dtype, "dtype"))
        outputs = [p for p, argument in zip(parameters, found, strict=True) if argument is None]
        for each in outputs:
            chosen = variables[each.type][0] if each.is_variable else each.type
            if chosen != dtype:
                raise TypeError(
                    f"{name}: dtype must be {chosen}, the type of output {each.name!r}, "
                    f"found {dtype}"
                )
    numbers = list(C_TYPES)
    for parameter, argument in zip(parameters, found, strict=True):
        if not parameter.is_variable or argument is None or argument[1]:
            continue
        known, by = variables.get(parameter.type, (argument[0], ""))
        if not by:
            widest = max(known, argument[0], key=numbers.index)
            variables[parameter.type] = (widest, "")
    for each in parameters:
        if each.is_variable and each.type not in variables:
            raise TypeError(
                f"{name}: the type {each.type} of {each.name!r} is not known, since no argument "
                "has it; dtype names it"
            )


# ---- the source

LOOP_HEADER = """
// The loop over the elements of several arrays, as src/user_kernels/generated_arguments.cpp packs
// it. Every index is known to the compiler once the loops are unrolled: else each work item would
// have a copy.
#pragma once

namespace usmx::detail {

/// The last two dimensions are rows and columns. Strides are in bytes.
template <int Operands, int Dimensions>
struct loop {
  long extents[Dimensions];
  long strides[Dimensions][Operands];

  long columns() const { return extents[Dimensions - 1]; }
  long rows() const { return extents[Dimensions - 2]; }
  long row_stride(int operand) const { return strides[Dimensions - 2][operand]; }
  long column_stride(int operand) const { return strides[Dimensions - 1][operand]; }
};

/// Where the operands are, in bytes.
template <int Operands>
struct places {
  long at[Operands] = {};

  /// Moves to an index that counts through the first `Outer` dimensions. False if there are not so
  /// many.
  template <int Outer, int Dimensions>
  bool move(const loop<Operands, Dimensions>& over, long index) {
#pragma unroll
    for (int k = Outer - 1; k > 0; --k) {
      const long quotient = index / over.extents[k];
      step(over.strides[k], index - quotient * over.extents[k]);
      index = quotient;
    }
    if constexpr (Outer > 0) {
      step(over.strides[0], index);
    }
    return Outer == 0 || index < over.extents[0];
  }

 private:
  void step(const long (&strides)[Operands], long count) {
#pragma unroll
    for (int i = 0; i < Operands; ++i) {
      at[i] += count * strides[i];
    }
  }
};

/// How many indices the first `Outer` dimensions have.
template <int Outer, int Operands, int Dimensions>
inline long count_of(const loop<Operands, Dimensions>& over) {
  long count = 1;
#pragma unroll
  for (int k = 0; k < Outer; ++k) {
    count *= over.extents[k];
  }
  return count;
}

template <class T>
inline T& element(T* first, long nbytes) {
  if constexpr (__is_const(T)) {
    return *reinterpret_cast<T*>(reinterpret_cast<const char*>(first) + nbytes);
  } else {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(first) + nbytes);
  }
}

}  // namespace usmx::detail
"""


def uses_name(name: str, *sources: str) -> bool:
    """Whether a source has that identifier."""
    return any(re.search(rf"\b{name}\b", source) for source in sources)


def element_at(pointer: str, row: str, step: str, column: str, stride: str) -> str:
    """The element of an operand at `column` of a row, all in C++; `row` and `stride` are in bytes.

    The steps are those of src/user_kernels/operand_loop.hpp. What is the same for a whole row is
    added first: then the compiler sees that adjacent work items read adjacent elements.
    """
    first = f"usmx::detail::element({pointer}, {row})"
    return {
        "a": f"(&{first})[{column}]",
        "r": first,
        "o": f"(&{first})[2 * ({column})]",
        "n": f"usmx::detail::element(&{first}, int({column}) * int({stride}))",
        "s": f"usmx::detail::element(&{first}, ({column}) * {stride})",
    }[step]


def type_aliases(parameters: Sequence[Parameter], types: Sequence[tuple[str, bool]]) -> str:
    """Type variables as types of C++."""
    found = {
        p.type: c_type for p, (c_type, _) in zip(parameters, types, strict=True) if p.is_variable
    }
    return "".join(f"using {name} = {c_type};\n" for name, c_type in found.items())


def compile_generated(
    source: str, names: list[str], written: Mapping[str, str], options: list[str]
) -> list[Kernel]:
    """The kernels of a source that includes usmx_loop.hpp, and what users wrote by its names."""
    headers = [("usmx_loop.hpp", LOOP_HEADER), *written.items()]
    return _core._compile_kernels(source, names, [], headers, options, False)


def check_parameters(parameters: list[Parameter], output_count: int) -> list[Parameter]:
    """The parameters themselves.

    Raises:
        ValueError: there is no output, two have one name, or there are too many.
    """
    if output_count == 0:
        raise ValueError("out_params must name at least one output")
    names = [each.name for each in parameters]
    for each in names:
        if names.count(each) > 1:
            raise ValueError(f"parameters must have different names, found {each!r} twice")
    if len(names) > _MOST_PARAMETERS:
        raise ValueError(f"there must be at most {_MOST_PARAMETERS} parameters, found {len(names)}")
    return parameters


def check_texts(name: str, **others: str) -> None:
    """Nothing.

    Raises:
        TypeError: one is no string.
        ValueError: `name` is no identifier.
    """
    for what, text in {"name": name, **others}.items():
        if not isinstance(text, str):
            raise TypeError(f"{what} must be a string, found {type(text).__name__}")
    if not name.isidentifier() or not name.isascii():
        raise ValueError(f"name must be an identifier of C++, found {name!r}")


_MOST_PARAMETERS = 23  # max_generated_parameters in C++
