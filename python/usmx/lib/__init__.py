"""Names that NumPy has under ``numpy.lib``."""

from usmx.lib import stride_tricks

__all__ = ["stride_tricks"]
