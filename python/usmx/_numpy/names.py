"""The names of NumPy's main namespace: which of usmx's functions each one is, or why there is none.

It is the only place where these names are written. `usmx.__getattr__` reads it, and so do the types
for type checkers, the page that compares the names, and the tests.
"""

from __future__ import annotations

from usmx._compute.table import ROWS

# The functions of this room, by the module that makes them.
MADE = {
    "creation": """
        array array2string array_str asarray_chkfinite broadcast diagflat fromfile fromfunction
        fromiter fromstring genfromtxt geomspace identity loadtxt logspace mask_indices packbits
        savetxt savez_compressed tri unpackbits vander""",
    "elementwise": """
        angle bitwise_count deg2rad divmod fabs float_power fmax fmin fmod frexp gcd heaviside i0
        isneginf isposinf lcm ldexp logaddexp2 modf nan_to_num rad2deg real_if_close rint sinc
        spacing unwrap vectorize""",
    "grids": "c_ mgrid ogrid r_",
    "histograms": "bincount digitize histogram histogram2d histogram_bin_edges histogramdd",
    "logic": """
        allclose array_equiv common_type iscomplex iscomplexobj isclose isfortran isreal
        isrealobj""",
    "nan": """
        nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum
        nanvar""",
    "polynomials": """
        poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots""",
    "products": "cross dot inner matvec outer trace vdot vecmat",
    "scans": "cumprod cumsum",
    "sets": "intersect1d setdiff1d setxor1d union1d unique",
    "shapes": """
        apply_along_axis apply_over_axes argwhere flatnonzero ndim piecewise putmask ravel shape
        size""",
    "signals": """
        bartlett blackman convolve correlate ediff1d gradient hamming hanning interp kaiser
        trapezoid""",
    "statistics": """
        average corrcoef cov lexsort median nanmedian nanpercentile nanquantile percentile ptp
        quantile sort_complex""",
}
MODULES = {name: module for module, names in MADE.items() for name in names.split()}

# Other names of what usmx has under its own.
ALIASES = {
    **{row.numpy: row.name for row in ROWS.values() if row.numpy not in (row.name, "rint")},
    "amax": "max",
    "amin": "min",
    "around": "round",
    "asanyarray": "asarray",
    "bitwise_not": "bitwise_invert",
    "degrees": "rad2deg",
    "fix": "trunc",
    "get_printoptions": "get_print_options",
    "mod": "remainder",
    "ndarray": "USMArray",
    "printoptions": "print_options",
    "radians": "deg2rad",
    "row_stack": "vstack",
    "set_printoptions": "set_print_options",
    "true_divide": "divide",
}

# NumPy's names of element types that usmx has under its own.
TYPES = (
    "bool_", "byte", "cdouble", "csingle", "double", "half", "int_", "intc", "intp", "long",
    "longlong", "short", "single", "ubyte", "uint", "uintc", "uintp", "ulong", "ulonglong",
    "ushort",
)  # fmt: skip

# Objects of NumPy's own: each holds no array, or nothing but the host's.
OF_NUMPY = (
    "False_", "ScalarType", "True_", "base_repr", "binary_repr", "complexfloating", "einsum_path",
    "errstate", "euler_gamma", "exceptions", "flexible", "floating",
    "format_float_positional", "format_float_scientific", "generic", "geterr", "geterrcall",
    "index_exp", "inexact", "integer", "isscalar", "issubdtype", "little_endian",
    "min_scalar_type", "mintypecode", "number", "promote_types", "s_", "sctypeDict", "seterr",
    "seterrcall", "signedinteger", "typecodes", "typename", "typing", "unsignedinteger",
)  # fmt: skip

# Names that NumPy has and usmx lacks, by the reason.
ABSENT = {
    name: reason
    for reason, names in {
        "usmx has no dates": """
            busday_count busday_offset busdaycalendar datetime64 datetime_as_string datetime_data
            is_busday isnat timedelta64""",
        "usmx has no strings, objects and records": """
            bytes_ char character object_ rec recarray record str_ strings void""",
        "usmx has no numbers of more than 64 bits": """
            clongdouble complex256 float128 longdouble""",
        "usmx has no masked arrays, a mask is an array of bools: a[mask]": "ma",
        "usmx has no matrices, arrays of two dimensions are multiplied by @": """
            asmatrix bmat matrix""",
        "elements are reached by kernels and a.flat, not one after the other by the host": """
            flatiter nditer nested_iters""",
        "usmx's functions of each element have the methods of ufuncs, but no class": "ufunc",
        "usmx.ElementwiseKernel and usmx.vectorize make functions of each element": "frompyfunc",
        "files are not mapped: usmx.load(file)": "memmap",
        "polynomials are arrays of coefficients: usmx.polyval and its kin": "poly1d polynomial",
        "text is read on the host: usmx.asarray(numpy.fromregex(...))": "fromregex",
        "Python has it: repr(a)": "array_repr",
        "complex numbers have complex results: usmx.sqrt(a.astype(complex))": "emath",
        "an array without dimensions is not iterable: a.ndim > 0": "iterable",
        "usmx.testing checks arrays": "testing",
        "it is about NumPy itself": """
            core ctypeslib dtypes f2py getbufsize info setbufsize show_config
            show_runtime test""",
    }.items()
    for name in names.split()
}

NAMES = sorted({*MODULES, *ALIASES, *TYPES, *OF_NUMPY})
