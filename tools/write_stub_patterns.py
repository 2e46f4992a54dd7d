"""Write the patterns of the native module's stub, with the methods that are written in Python.

write_stub_patterns.py OUTPUT

The build runs this, before the package can be imported. It puts together what stands in
python/bindings/stub_patterns.txt, and the types of the methods that files of the package attach to
native classes, as these files say them.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python/usmx"
FILES = (
    "_container/methods.py",
    "_compute/methods.py",
    "_sycl_methods.py",
    "_kernels.py",
    "memory.py",
)
REDUCTIONS = PACKAGE / "_compute/reductions.pyi"
FUNCTIONS = ("attach", "_functions.attach")
OF_THE_CLASS = ("__copy__", "__deepcopy__")  # these give an object of the class


def attached(tree):
    """(class in Python, native class) for each call of `attach`, also in a loop over classes."""
    for statement in tree.body:
        classes = {}
        if isinstance(statement, ast.For) and isinstance(statement.iter, ast.Tuple):
            classes[ast.unparse(statement.target)] = list(map(ast.unparse, statement.iter.elts))
        for call in ast.walk(statement):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in FUNCTIONS:
                methods, native = (ast.unparse(each) for each in call.args)
                for each in classes.get(native, [native]):
                    yield methods, each


def declared(function):
    """The declaration of a method: its decorators, and its types."""
    (function.args.posonlyargs + function.args.args)[0].annotation = None
    if function.name in OF_THE_CLASS:
        function.returns = ast.Name("Self")
    function.body = [ast.Expr(ast.Constant(...))]
    return ast.unparse(function).replace(":\n    ...", ": ...").split("\n")


def values_of(tree, name):
    """The dictionary that a module assigns to a name, in its words."""
    return next(
        ast.literal_eval(each.value)
        for each in tree.body
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == name
    )


def operators(tree):
    """The declarations of the operators that come from the table of mathematics."""
    binary = values_of(tree, "_BINARY")
    names = dict.fromkeys(binary, "USMArray") | {f"r{name}": "USMArray" for name in binary}
    names |= {f"i{name}": "Self" for name in binary}
    names |= {
        name: "USMArray" for name in values_of(tree, "_COMPARISONS") if name not in ("eq", "ne")
    }
    for name, result in names.items():
        yield f"def __{name}__(self, other: Operand, /) -> {result}: ..."
    for name in values_of(tree, "_UNARY"):
        yield f"def __{name}__(self, /) -> USMArray: ..."


def reductions():
    """The declarations of the methods that are reductions of the table: those of the functions."""
    for line in REDUCTIONS.read_text(encoding="utf-8").splitlines():
        if (
            line.startswith("def ")
            and "(x: Producer, /, axis" in line
            and not line.startswith("def count_nonzero")
        ):
            yield line.replace("x: Producer", "self")


def main(output):
    """Put the declarations into the patterns of their classes."""
    found = {}
    for file in FILES:
        tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
        classes = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
        if file == "_compute/methods.py":
            classes["METHODS"] = classes["OfArrays"]
            found.setdefault("USMArray", []).extend([*operators(tree), *reductions()])
        for methods, native in attached(tree):
            functions = [
                each for each in classes[methods].body if isinstance(each, ast.FunctionDef)
            ]
            found.setdefault(native, []).extend(
                line for each in functions for line in declared(each)
            )
    text = (ROOT / "python/bindings/stub_patterns.txt").read_text(encoding="utf-8")
    for native, lines in found.items():
        head = rf"^_core\.{native}\.__suffix__$:" + "\n"
        text += "" if head in text else f"\n{head}"
        text = text.replace(head, head + "".join(f"    {line}\n" for line in lines))
    Path(output).write_text(re.sub(r"\btypes_of_devices\b", "device_type", text), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
