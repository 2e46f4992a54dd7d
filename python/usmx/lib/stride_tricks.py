"""Arrays by other strides, under the names of ``numpy.lib.stride_tricks``."""

from usmx._container.manipulation import broadcast_arrays
from usmx._container.strides import as_strided, sliding_window_view
from usmx._core import broadcast_to

__all__ = ["as_strided", "broadcast_arrays", "broadcast_to", "sliding_window_view"]
