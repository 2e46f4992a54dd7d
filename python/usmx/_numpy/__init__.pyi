"""Written by tools/write_numpy_names.py."""

from typing import Any

import numpy
from numpy import False_ as False_
from numpy import ScalarType as ScalarType
from numpy import True_ as True_
from usmx._compute.elementwise import abs as absolute
from usmx._numpy.logic import allclose as allclose
from usmx._compute.reductions import max as amax
from usmx._compute.reductions import min as amin
from usmx._numpy.elementwise import angle as angle
from usmx._numpy.shapes import apply_along_axis as apply_along_axis
from usmx._numpy.shapes import apply_over_axes as apply_over_axes
from usmx._compute.elementwise import acos as arccos
from usmx._compute.elementwise import acosh as arccosh
from usmx._compute.elementwise import asin as arcsin
from usmx._compute.elementwise import asinh as arcsinh
from usmx._compute.elementwise import atan as arctan
from usmx._compute.elementwise import atan2 as arctan2
from usmx._compute.elementwise import atanh as arctanh
from usmx._numpy.shapes import argwhere as argwhere
from usmx._compute.elementwise import round as around
from usmx._numpy.creation import array as array
from usmx._numpy.creation import array2string as array2string
from usmx._numpy.logic import array_equiv as array_equiv
from usmx._numpy.creation import array_str as array_str
from usmx._core import asarray as asanyarray
from usmx._numpy.creation import asarray_chkfinite as asarray_chkfinite
from usmx._numpy.statistics import average as average
from usmx._numpy.signals import bartlett as bartlett
from numpy import base_repr as base_repr
from numpy import binary_repr as binary_repr
from usmx._numpy.histograms import bincount as bincount
from usmx._numpy.elementwise import bitwise_count as bitwise_count
from usmx._compute.elementwise import bitwise_invert as bitwise_not
from usmx._numpy.signals import blackman as blackman
from usmx._numpy.creation import broadcast as broadcast
from usmx._numpy.grids import c_ as c_
from usmx._numpy.logic import common_type as common_type
from numpy import complexfloating as complexfloating
from usmx._compute.elementwise import conj as conjugate
from usmx._numpy.signals import convolve as convolve
from usmx._numpy.statistics import corrcoef as corrcoef
from usmx._numpy.signals import correlate as correlate
from usmx._numpy.statistics import cov as cov
from usmx._numpy.products import cross as cross
from usmx._numpy.scans import cumprod as cumprod
from usmx._numpy.scans import cumsum as cumsum
from usmx._numpy.elementwise import deg2rad as deg2rad
from usmx._numpy.elementwise import rad2deg as degrees
from usmx._numpy.creation import diagflat as diagflat
from usmx._numpy.histograms import digitize as digitize
from usmx._numpy.elementwise import divmod as divmod
from usmx._numpy.products import dot as dot
from usmx._numpy.signals import ediff1d as ediff1d
from numpy import einsum_path as einsum_path
from numpy import errstate as errstate
from numpy import euler_gamma as euler_gamma
from numpy import exceptions as exceptions
from usmx._numpy.elementwise import fabs as fabs
from usmx._compute.elementwise import trunc as fix
from usmx._numpy.shapes import flatnonzero as flatnonzero
from numpy import flexible as flexible
from usmx._numpy.elementwise import float_power as float_power
from numpy import floating as floating
from usmx._numpy.elementwise import fmax as fmax
from usmx._numpy.elementwise import fmin as fmin
from usmx._numpy.elementwise import fmod as fmod
from numpy import format_float_positional as format_float_positional
from numpy import format_float_scientific as format_float_scientific
from usmx._numpy.elementwise import frexp as frexp
from usmx._numpy.creation import fromfile as fromfile
from usmx._numpy.creation import fromfunction as fromfunction
from usmx._numpy.creation import fromiter as fromiter
from usmx._numpy.creation import fromstring as fromstring
from usmx._numpy.elementwise import gcd as gcd
from numpy import generic as generic
from usmx._numpy.creation import genfromtxt as genfromtxt
from usmx._numpy.creation import geomspace as geomspace
from usmx._container.print_options import get_print_options as get_printoptions
from numpy import geterr as geterr
from numpy import geterrcall as geterrcall
from usmx._numpy.signals import gradient as gradient
from usmx._numpy.signals import hamming as hamming
from usmx._numpy.signals import hanning as hanning
from usmx._numpy.elementwise import heaviside as heaviside
from usmx._numpy.histograms import histogram as histogram
from usmx._numpy.histograms import histogram2d as histogram2d
from usmx._numpy.histograms import histogram_bin_edges as histogram_bin_edges
from usmx._numpy.histograms import histogramdd as histogramdd
from usmx._numpy.elementwise import i0 as i0
from usmx._numpy.creation import identity as identity
from numpy import index_exp as index_exp
from numpy import inexact as inexact
from usmx._numpy.products import inner as inner
from numpy import integer as integer
from usmx._numpy.signals import interp as interp
from usmx._numpy.sets import intersect1d as intersect1d
from usmx._compute.elementwise import bitwise_invert as invert
from usmx._numpy.logic import isclose as isclose
from usmx._numpy.logic import iscomplex as iscomplex
from usmx._numpy.logic import iscomplexobj as iscomplexobj
from usmx._numpy.logic import isfortran as isfortran
from usmx._numpy.elementwise import isneginf as isneginf
from usmx._numpy.elementwise import isposinf as isposinf
from usmx._numpy.logic import isreal as isreal
from usmx._numpy.logic import isrealobj as isrealobj
from numpy import isscalar as isscalar
from numpy import issubdtype as issubdtype
from usmx._numpy.signals import kaiser as kaiser
from usmx._numpy.elementwise import lcm as lcm
from usmx._numpy.elementwise import ldexp as ldexp
from usmx._compute.elementwise import bitwise_left_shift as left_shift
from usmx._numpy.statistics import lexsort as lexsort
from numpy import little_endian as little_endian
from usmx._numpy.creation import loadtxt as loadtxt
from usmx._numpy.elementwise import logaddexp2 as logaddexp2
from usmx._numpy.creation import logspace as logspace
from usmx._numpy.creation import mask_indices as mask_indices
from usmx._numpy.products import matvec as matvec
from usmx._numpy.statistics import median as median
from usmx._numpy.grids import mgrid as mgrid
from numpy import min_scalar_type as min_scalar_type
from numpy import mintypecode as mintypecode
from usmx._compute.elementwise import remainder as mod
from usmx._numpy.elementwise import modf as modf
from usmx._numpy.elementwise import nan_to_num as nan_to_num
from usmx._numpy.nan import nanargmax as nanargmax
from usmx._numpy.nan import nanargmin as nanargmin
from usmx._numpy.nan import nancumprod as nancumprod
from usmx._numpy.nan import nancumsum as nancumsum
from usmx._numpy.nan import nanmax as nanmax
from usmx._numpy.nan import nanmean as nanmean
from usmx._numpy.statistics import nanmedian as nanmedian
from usmx._numpy.nan import nanmin as nanmin
from usmx._numpy.statistics import nanpercentile as nanpercentile
from usmx._numpy.nan import nanprod as nanprod
from usmx._numpy.statistics import nanquantile as nanquantile
from usmx._numpy.nan import nanstd as nanstd
from usmx._numpy.nan import nansum as nansum
from usmx._numpy.nan import nanvar as nanvar
from usmx._core import USMArray as ndarray
from usmx._numpy.shapes import ndim as ndim
from numpy import number as number
from usmx._numpy.grids import ogrid as ogrid
from usmx._numpy.products import outer as outer
from usmx._numpy.creation import packbits as packbits
from usmx._numpy.statistics import percentile as percentile
from usmx._numpy.shapes import piecewise as piecewise
from usmx._numpy.polynomials import poly as poly
from usmx._numpy.polynomials import polyadd as polyadd
from usmx._numpy.polynomials import polyder as polyder
from usmx._numpy.polynomials import polydiv as polydiv
from usmx._numpy.polynomials import polyfit as polyfit
from usmx._numpy.polynomials import polyint as polyint
from usmx._numpy.polynomials import polymul as polymul
from usmx._numpy.polynomials import polysub as polysub
from usmx._numpy.polynomials import polyval as polyval
from usmx._compute.elementwise import pow as power
from usmx._container.print_options import print_options as printoptions
from numpy import promote_types as promote_types
from usmx._numpy.statistics import ptp as ptp
from usmx._numpy.shapes import putmask as putmask
from usmx._numpy.statistics import quantile as quantile
from usmx._numpy.grids import r_ as r_
from usmx._numpy.elementwise import rad2deg as rad2deg
from usmx._numpy.elementwise import deg2rad as radians
from usmx._numpy.shapes import ravel as ravel
from usmx._numpy.elementwise import real_if_close as real_if_close
from usmx._compute.elementwise import bitwise_right_shift as right_shift
from usmx._numpy.elementwise import rint as rint
from usmx._numpy.polynomials import roots as roots
from usmx._container.joining import vstack as row_stack
from numpy import s_ as s_
from usmx._numpy.creation import savetxt as savetxt
from usmx._numpy.creation import savez_compressed as savez_compressed
from numpy import sctypeDict as sctypeDict
from usmx._container.print_options import set_print_options as set_printoptions
from usmx._numpy.sets import setdiff1d as setdiff1d
from numpy import seterr as seterr
from numpy import seterrcall as seterrcall
from usmx._numpy.sets import setxor1d as setxor1d
from usmx._numpy.shapes import shape as shape
from numpy import signedinteger as signedinteger
from usmx._numpy.elementwise import sinc as sinc
from usmx._numpy.shapes import size as size
from usmx._numpy.statistics import sort_complex as sort_complex
from usmx._numpy.elementwise import spacing as spacing
from usmx._numpy.products import trace as trace
from usmx._numpy.signals import trapezoid as trapezoid
from usmx._numpy.creation import tri as tri
from usmx._compute.elementwise import divide as true_divide
from numpy import typecodes as typecodes
from numpy import typename as typename
from numpy import typing as typing
from usmx._numpy.sets import union1d as union1d
from usmx._numpy.sets import unique as unique
from usmx._numpy.creation import unpackbits as unpackbits
from numpy import unsignedinteger as unsignedinteger
from usmx._numpy.elementwise import unwrap as unwrap
from usmx._numpy.creation import vander as vander
from usmx._numpy.products import vdot as vdot
from usmx._numpy.products import vecmat as vecmat
from usmx._numpy.elementwise import vectorize as vectorize

__all__ = ['False_', 'ScalarType', 'True_', 'absolute', 'allclose', 'amax', 'amin', 'angle', 'apply_along_axis', 'apply_over_axes', 'arccos', 'arccosh', 'arcsin', 'arcsinh', 'arctan', 'arctan2', 'arctanh', 'argwhere', 'around', 'array', 'array2string', 'array_equiv', 'array_str', 'asanyarray', 'asarray_chkfinite', 'average', 'bartlett', 'base_repr', 'binary_repr', 'bincount', 'bitwise_count', 'bitwise_not', 'blackman', 'bool_', 'broadcast', 'byte', 'c_', 'cdouble', 'common_type', 'complexfloating', 'conjugate', 'convolve', 'corrcoef', 'correlate', 'cov', 'cross', 'csingle', 'cumprod', 'cumsum', 'deg2rad', 'degrees', 'diagflat', 'digitize', 'divmod', 'dot', 'double', 'ediff1d', 'einsum_path', 'errstate', 'euler_gamma', 'exceptions', 'fabs', 'fix', 'flatnonzero', 'flexible', 'float_power', 'floating', 'fmax', 'fmin', 'fmod', 'format_float_positional', 'format_float_scientific', 'frexp', 'fromfile', 'fromfunction', 'fromiter', 'fromstring', 'gcd', 'generic', 'genfromtxt', 'geomspace', 'get_printoptions', 'geterr', 'geterrcall', 'gradient', 'half', 'hamming', 'hanning', 'heaviside', 'histogram', 'histogram2d', 'histogram_bin_edges', 'histogramdd', 'i0', 'identity', 'index_exp', 'inexact', 'inner', 'int_', 'intc', 'integer', 'interp', 'intersect1d', 'intp', 'invert', 'isclose', 'iscomplex', 'iscomplexobj', 'isfortran', 'isneginf', 'isposinf', 'isreal', 'isrealobj', 'isscalar', 'issubdtype', 'kaiser', 'lcm', 'ldexp', 'left_shift', 'lexsort', 'little_endian', 'loadtxt', 'logaddexp2', 'logspace', 'long', 'longlong', 'mask_indices', 'matvec', 'median', 'mgrid', 'min_scalar_type', 'mintypecode', 'mod', 'modf', 'nan_to_num', 'nanargmax', 'nanargmin', 'nancumprod', 'nancumsum', 'nanmax', 'nanmean', 'nanmedian', 'nanmin', 'nanpercentile', 'nanprod', 'nanquantile', 'nanstd', 'nansum', 'nanvar', 'ndarray', 'ndim', 'number', 'ogrid', 'outer', 'packbits', 'percentile', 'piecewise', 'poly', 'polyadd', 'polyder', 'polydiv', 'polyfit', 'polyint', 'polymul', 'polysub', 'polyval', 'power', 'printoptions', 'promote_types', 'ptp', 'putmask', 'quantile', 'r_', 'rad2deg', 'radians', 'ravel', 'real_if_close', 'right_shift', 'rint', 'roots', 'row_stack', 's_', 'savetxt', 'savez_compressed', 'sctypeDict', 'set_printoptions', 'setdiff1d', 'seterr', 'seterrcall', 'setxor1d', 'shape', 'short', 'signedinteger', 'sinc', 'single', 'size', 'sort_complex', 'spacing', 'trace', 'trapezoid', 'tri', 'true_divide', 'typecodes', 'typename', 'typing', 'ubyte', 'uint', 'uintc', 'uintp', 'ulong', 'ulonglong', 'union1d', 'unique', 'unpackbits', 'unsignedinteger', 'unwrap', 'ushort', 'vander', 'vdot', 'vecmat', 'vectorize']

bool_: numpy.dtype[Any]
byte: numpy.dtype[Any]
cdouble: numpy.dtype[Any]
csingle: numpy.dtype[Any]
double: numpy.dtype[Any]
half: numpy.dtype[Any]
int_: numpy.dtype[Any]
intc: numpy.dtype[Any]
intp: numpy.dtype[Any]
long: numpy.dtype[Any]
longlong: numpy.dtype[Any]
short: numpy.dtype[Any]
single: numpy.dtype[Any]
ubyte: numpy.dtype[Any]
uint: numpy.dtype[Any]
uintc: numpy.dtype[Any]
uintp: numpy.dtype[Any]
ulong: numpy.dtype[Any]
ulonglong: numpy.dtype[Any]
ushort: numpy.dtype[Any]
