"""What inspect.signature says of every public function and method: what the stub says."""

import ast
import enum
import inspect
from pathlib import Path

import pytest
import usmx
import usmx.testing

STUB = Path(usmx._core.__file__).with_name("_core.pyi")
MODULES = (usmx, usmx.memory, usmx.testing)


def public():
    """Every public function and class, by its name."""
    return {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in MODULES
        for name in module.__all__
        if callable(getattr(module, name)) and not name.startswith("Supports")
    }


def methods_of(cls):
    """Its methods and those of its bases that usmx has bound or written, by their names."""
    return {
        name: inspect.getattr_static(cls, name)
        for base in cls.__mro__
        if base.__module__.startswith("usmx")
        for name, member in vars(base).items()
        if inspect.isroutine(member)
        and not isinstance(member, type(object.__repr__))
        and hasattr(base, name)  # others say that usmx lacks the name
        # The latter two from Python 3.13 and 3.14 on.
        and name not in ("__dir__", "__signature__", "__annotate_func__")
    }


CLASSES = {name: cls for name, cls in public().items() if inspect.isclass(cls)}
FUNCTIONS = {name: value for name, value in public().items() if not inspect.isclass(value)}
METHODS = {
    f"{owner}.{name}": (cls, name)
    for owner, cls in CLASSES.items()
    for name in methods_of(cls)
    if not issubclass(cls, Exception) and name not in ("__new__", "__init__")  # see CONSTRUCTED
    # Made by typing.NamedTuple and enum.
    if not (issubclass(cls, (tuple, enum.Enum)) and name.startswith("_"))
}
# Made by functions and never by their class.
ONLY_RECEIVED = {"usmx.Device", "usmx.memory.MemoryPool", "usmx.memory.MemoryResource"}
CONSTRUCTED = {
    name: cls
    for name, cls in CLASSES.items()
    if not issubclass(cls, Exception) and name not in ONLY_RECEIVED
}


def parameters_of(function):
    """Names, kinds and defaults of an object, as they would be written."""
    return [
        (p.name, p.kind.name, None if p.default is p.empty else repr(p.default))
        for p in inspect.signature(function).parameters.values()
    ]


def parameters_in_stub(definition):
    """The same of a definition in the stub."""
    found = definition.args
    positional = [*found.posonlyargs, *found.args]
    missing = [None] * (len(positional) - len(found.defaults))
    kinds = ["POSITIONAL_ONLY"] * len(found.posonlyargs)
    kinds += ["POSITIONAL_OR_KEYWORD"] * len(found.args)
    rows = [
        (p.arg, kind, default)
        for p, kind, default in zip(positional, kinds, missing + found.defaults, strict=True)
    ]
    if found.vararg:
        rows.append((found.vararg.arg, "VAR_POSITIONAL", None))
    rows += [
        (p.arg, "KEYWORD_ONLY", default)
        for p, default in zip(found.kwonlyargs, found.kw_defaults, strict=True)
    ]
    if found.kwarg:
        rows.append((found.kwarg.arg, "VAR_KEYWORD", None))
    return [(name, kind, default and ast.unparse(default)) for name, kind, default in rows]


def definitions_in(body):
    """All of a name: there may be overloads."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def is_native(cls):
    """Whether the class is written in C++."""
    return getattr(usmx._core, cls.__name__, None) is cls


TREE = ast.parse(STUB.read_text(encoding="utf-8"))
STUB_FUNCTIONS = definitions_in(TREE.body)
STUB_METHODS = {
    node.name: definitions_in(node.body) for node in TREE.body if isinstance(node, ast.ClassDef)
}


def in_stub(cls, name):
    """The definitions of a method, of the class or of a base."""
    for base in cls.__mro__:
        if found := STUB_METHODS.get(base.__name__, {}).get(name):
            return found
    return []


def test_there_are_many():
    assert len(FUNCTIONS) > 80
    assert len(METHODS) > 100


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function_has_the_signature_that_the_stub_says(name):
    function = FUNCTIONS[name]
    found = parameters_of(function)
    if inspect.isbuiltin(function):
        (definition,) = STUB_FUNCTIONS[function.__name__]
        assert found == parameters_in_stub(definition)
    else:
        assert set(function.__annotations__) == {*(name for name, *_ in found), "return"}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_method_has_the_signature_that_the_stub_says(name):
    cls, method = METHODS[name]
    found = parameters_of(getattr(cls, method))
    if not is_native(cls):
        assert found[0][0] == "self"
        return
    said = [parameters_in_stub(definition) for definition in in_stub(cls, method)]
    if not inspect.isbuiltin(inspect.getattr_static(cls, method)):  # those are static
        found, said = found[1:], [parameters[1:] for parameters in said]
    assert found in said


@pytest.mark.parametrize("name", sorted(CONSTRUCTED))
def test_class_has_the_signature_of_its_constructor(name):
    cls = CONSTRUCTED[name]
    said = [parameters_in_stub(definition)[1:] for definition in in_stub(cls, "__init__")]
    if is_native(cls):
        assert parameters_of(cls) in said
    else:
        inspect.signature(cls)


def test_method_of_an_object_has_no_self():
    array = usmx.zeros(3)
    assert str(inspect.signature(array.copy)) == "(order='C', *, usm_type=None)"
    assert str(inspect.signature(array.to_device)).startswith("(device")


def test_signature_is_text_for_those_who_read_it():
    assert usmx.reshape.__text_signature__ == "(X, /, shape, order='C', *, copy=None)"
    assert usmx.USMArray.tolist.__text_signature__ == "($self)"


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("count", lambda memory: memory.sycl_queue.memcpy(memory, memory, None)),
        ("val", lambda memory: memory.sycl_queue.memset(memory, None)),
        ("value", lambda memory: memory.sycl_queue.fill(memory, None, dtype="f4")),
        ("dtype", lambda memory: usmx.local_memory(None, 3)),
        ("options", lambda memory: usmx.Kernel("int x;", "k", options=None)),
        ("options", lambda memory: usmx.ElementwiseKernel("T x", "T y", "y = x", options=None)),
        ("after", lambda memory: usmx.ElementwiseKernel("T x", "T y", "y = x")(3, after=None)),
    ],
)
def test_argument_that_cannot_be_none_is_named(name, call):
    with pytest.raises(TypeError, match=f"'{name}' must be .*, found NoneType"):
        call(usmx.memory.MemoryUSMShared(8))
