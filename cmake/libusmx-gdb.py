"""Pretty printers of usmx for gdb: what an array, a layout or a view is, and the elements of views.

Installed beside libusmx.so under the library's name with -gdb.py behind it: gdb loads it with the
library, where its auto-load safe-path allows that, or by "source". They read the members of usmx's
classes by the debug information of the program, and elements where the host can read the memory.
"""

import gdb
import gdb.printing
import gdb.types

KINDS = ("unknown", "device", "shared", "host")
CODES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
MOST_ELEMENTS = 1000  # more are left out, as by usmx/array/print.hpp
EDGE = 3


def numbers(first, count):
    """The integers behind a pointer."""
    return tuple(int(first[k]) for k in range(count))


def tuple_text(values):
    """The numbers as usmx's messages have them."""
    return f"({values[0]},)" if len(values) == 1 else f"({', '.join(map(str, values))})"


def pointer_in(smart):
    """The address that a smart pointer holds: the first pointer among its members; else None."""
    if smart.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        return smart
    if smart.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        for field in smart.type.strip_typedefs().fields():
            inner = smart.cast(field.type) if field.is_base_class else smart[field]
            if (found := pointer_in(inner)) is not None:
                return found
    return None


def type_text(dtype):
    """The name of an element type."""
    code = int(dtype["code_"])
    if code < len(CODES):
        return CODES[code]
    return f"structured type of {int(dtype['structure_'].dereference()['itemsize'])} bytes"


def entries_of(layout):
    """Shape and strides of a layout."""
    ndim = int(layout["ndim_"])
    heap = pointer_in(layout["heap_"])
    entries = heap if int(heap) != 0 else layout["inline_"]
    both = numbers(entries, 2 * ndim)
    return both[:ndim], both[ndim:]


def layout_text(layout):
    """Shape and strides, in words."""
    shape, strides = entries_of(layout)
    return f"shape {tuple_text(shape)}, strides {tuple_text(strides)}"


class DtypePrinter:
    """dtype and held_dtype."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return type_text(self.value)


class LayoutPrinter:
    """layout."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"{layout_text(self.value)}, offset {int(self.value['offset_'])}"


class ArrayPrinter:
    """array, array_of and array_view: what they are, without the elements."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        text = f"{type_text(self.value['type_'])}, {layout_text(self.value['layout_'])}, "
        if gdb.types.has_field(self.value.type.strip_typedefs(), "owner_"):
            owner = pointer_in(self.value["owner_"])
            kind = int(owner.dereference()["kind_"]) if int(owner) else 0
            readonly = bool(self.value["readonly_"]["value_"]["_M_base"]["_M_i"])
        else:
            kind, readonly = int(self.value["kind_"]), bool(self.value["readonly_"])
        text += f"{KINDS[kind]} memory" if kind else "no USM"
        return text + (", read-only" if readonly else "")


class ViewPrinter:
    """strided_view, device_view and held_view: extents, strides, and elements that can be read."""

    def __init__(self, value):
        self.value = value

    def parts(self):
        """The pointer, the extents and the strides."""
        view = self.value
        while not gdb.types.has_field(view.type.strip_typedefs(), "data_"):
            view = view["elements_"]
        rank = int(view.type.strip_typedefs().template_argument(1))
        members = [view[name] for name in ("extents_", "strides_")]
        return view["data_"], *(numbers(m["_M_elems"], rank) if rank else () for m in members)

    def to_string(self):
        data, extents, strides = self.parts()
        text = f"extents {tuple_text(extents)}, strides {tuple_text(strides)}"
        if "device_view" in self.value.type.strip_typedefs().name:
            return f"{text}, for kernels"
        try:
            elements = self.elements(data, extents, strides, size(extents) <= MOST_ELEMENTS)
        except gdb.MemoryError:
            return f"{text}, which cannot be read"
        return f"{text}: {elements}"

    def elements(self, first, extents, strides, are_few):
        """The elements as nested lists."""
        if not extents:
            return str(first.dereference())
        count, stride = extents[0], strides[0]
        places = range(count)
        if not are_few and count > 2 * EDGE:
            places = [*range(EDGE), None, *range(count - EDGE, count)]
        texts = [
            "..."
            if k is None
            else self.elements(first + k * stride, extents[1:], strides[1:], are_few)
            for k in places
        ]
        return f"[{', '.join(texts)}]"


def size(extents):
    """The number of elements."""
    product = 1
    for extent in extents:
        product *= extent
    return product


def printers():
    """The printers by the names of the classes."""
    collection = gdb.printing.RegexpCollectionPrettyPrinter("usmx")
    for names, printer in (
        ("dtype|held_dtype", DtypePrinter),
        ("layout", LayoutPrinter),
        ("array|array_view|array_of<.*>", ArrayPrinter),
        ("(strided|device|held)_view<.*>", ViewPrinter),
    ):
        collection.add_printer(names, rf"^usmx::(v\d+::)?({names})$", printer)
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
