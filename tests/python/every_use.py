"""Every use of an array of six numbers that Python, NumPy and usmx know: each touches the array."""

import math
import operator

import numpy as np
import usmx

shared = usmx.asarray(np.arange(6.0), usm_type="shared")

USES = {
    "attribute": lambda x: x.shape,
    "unknown attribute": lambda x: x.nothing_of_that_name,
    "hasattr": lambda x: hasattr(x, "T"),
    "set attribute": lambda x: setattr(x, "shape", 1),
    "delete attribute": lambda x: delattr(x, "shape"),
    "dictionary of attributes": vars,
    "dir": dir,
    "method": lambda x: x.wait(),
    "call": lambda x: x(),
    "len": len,
    "iter": iter,
    "next": next,
    "reversed": reversed,
    "list": list,
    "unpack": lambda x: [*x],
    "in": lambda x: 1 in x,
    "item": lambda x: x[0],
    "slice": lambda x: x[1:],
    "set item": lambda x: operator.setitem(x, 0, 1),
    "delete item": lambda x: operator.delitem(x, 0),
    "bool": bool,
    "not": operator.not_,
    "int": int,
    "float": float,
    "complex": complex,
    "index": operator.index,
    "round": round,
    "trunc": math.trunc,
    "floor": math.floor,
    "str": str,
    "format": format,
    "format with a specification": lambda x: f"{x:.3f}",
    "sum": sum,
    "bytes": bytes,
    "memoryview": memoryview,
    "np.asarray": np.asarray,
    "np.array of several": lambda x: np.array([x, x]),
    "np.from_dlpack": np.from_dlpack,
    "np.add": lambda x: np.add(x, 1),
    "np.concatenate": lambda x: np.concatenate([x, x]),
    "NumPy's operator": lambda x: np.ones(6) + x,
    "__array__": lambda x: x.__array__(),
    "__dlpack__": lambda x: x.__dlpack__(),
    "__dlpack_device__": lambda x: x.__dlpack_device__(),
    "dictionary": lambda x: x.__sycl_usm_array_interface__,
    "usmx.asarray": usmx.asarray,
    "usmx.asnumpy": usmx.asnumpy,
    "usmx.copy": usmx.copy,
    "usmx.reshape": lambda x: usmx.reshape(x, (2, 3)),
    "usmx.concat": lambda x: usmx.concat([x, x]),
    "usmx.copy_async": lambda x: usmx.copy_async(x, shared),
    "into usmx.copy_async": lambda x: usmx.copy_async(shared, x),
    "usmx.from_usm_array_interface": usmx.from_usm_array_interface,
    "usmx.from_dlpack": usmx.from_dlpack,
    "usmx.take": lambda x: usmx.take(x, [1]),
    "usmx.to_dpnp": usmx.to_dpnp,
    "usmx.USMArray": lambda x: usmx.USMArray(3, buffer=x),
    "usmx.memory.as_usm_memory": usmx.memory.as_usm_memory,
    "usmx.memory.MemoryUSMShared": usmx.memory.MemoryUSMShared,
    "copy_from_device": lambda x: shared.base.copy_from_device(x),
    "assignment of it": lambda x: operator.setitem(shared, slice(None), x),
    "index of it": lambda x: shared[x],
}
UNARY = ["neg", "pos", "abs", "invert"]
BINARY = ["add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift"]
BINARY += ["and_", "or_", "xor", "iadd", "isub", "imul", "imatmul", "itruediv", "ifloordiv", "imod"]
BINARY += ["ipow", "ilshift", "irshift", "iand", "ior", "ixor", "eq", "ne", "lt", "le", "gt", "ge"]
USES |= {name: getattr(operator, name) for name in UNARY}
USES |= {name: lambda x, name=name: getattr(operator, name)(x, 2) for name in BINARY}
USES |= {f"2 {name}": lambda x, name=name: getattr(operator, name)(2, x) for name in BINARY}
USES["divmod"] = lambda x: divmod(x, 2)
