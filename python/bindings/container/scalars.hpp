// Elements of a USMArray as Python's own numbers: int(a), float(a), complex(a), bool(a),
// operator.index(a), a.item() and a.tolist(). They need no NumPy, except for structured elements.
#pragma once

#include <span>
#include <vector>

#include "objects/array.hpp"
#include "support/nanobind.hpp"

namespace usmx::bindings {

/// The slots of a class, ended as `others` is (by a zero entry), with those of the numbers added.
std::vector<PyType_Slot> with_scalars(std::span<const PyType_Slot> others);

/// __complex__, which has no slot, item and tolist.
void bind_scalars(nb::class_<py_array>& cls);

}  // namespace usmx::bindings
