"""Dask's array backend "usmx": what ``dask.array`` makes comes in chunks of USMArrays.

Dask imports this module, and with it usmx, when a program first names the backend.
"""

import usmx
from dask.array.backends import ArrayBackendEntrypoint, array_creation_dispatch
from dask.array.dispatch import percentile_lookup, to_numpy_dispatch
from dask.array.percentile import _percentile


class ArrayBackend(ArrayBackendEntrypoint):
    """Entry point ``dask.array.backends``."""

    def __init__(self):
        to_numpy_dispatch.register(usmx.USMArray)(usmx.asnumpy)
        percentile_lookup.register(usmx.USMArray)(_percentile)

    @classmethod
    def to_backend_dispatch(cls):
        """Return the function that moves a chunk to usmx."""
        return usmx.asarray

    @classmethod
    def to_backend(cls, data, **options):
        """Move the chunks to usmx.

        Parameters
        ----------
        data : dask.array.Array
            With chunks of any library that `usmx.asarray` takes.
        options
            ``usm_type`` and ``device`` for `usmx.asarray`. Without them, chunks of usmx's stay
            where they are, and others come to device memory of the worker's default device.

        Returns
        -------
        dask.array.Array
        """
        if isinstance(data._meta, usmx.USMArray) and not options:
            return data
        meta = usmx.asarray(data._meta, **options)
        return data.map_blocks(cls.to_backend_dispatch(), dtype=data.dtype, meta=meta, **options)

    @property
    def RandomState(self):
        """Say what to do instead."""
        return _refuse_random_numbers()

    @property
    def default_bit_generator(self):
        """Say what to do instead."""
        return _refuse_random_numbers()

    @staticmethod
    def ones(*args, **kwargs):
        """Make an array of ones."""
        return _made("ones", "meta", args, kwargs)

    @staticmethod
    def zeros(*args, **kwargs):
        """Make an array of zeros."""
        return _made("zeros", "meta", args, kwargs)

    @staticmethod
    def empty(*args, **kwargs):
        """Make an array with elements of any value."""
        return _made("empty", "meta", args, kwargs)

    @staticmethod
    def full(*args, **kwargs):
        """Make an array of one value."""
        return _made("full", "meta", args, kwargs)

    @staticmethod
    def arange(*args, **kwargs):
        """Make evenly spaced values."""
        return _made("arange", "like", args, kwargs)


def _made(name, model_name, args, kwargs):
    """Make chunks as Dask does with NumPy, and move them: with usmx, one of one value is no faster.

    A model, as of ``da.ones_like``, says of which library and where the chunks are to be.
    """
    make = getattr(array_creation_dispatch.dispatch("numpy"), name)
    options = {key: kwargs.pop(key) for key in ("usm_type", "device") if key in kwargs}
    model = kwargs.get(model_name)
    if model is None:
        return ArrayBackend.to_backend(make(*args, **kwargs), **options)
    if not isinstance(model, usmx.USMArray):
        return make(*args, **kwargs)
    del kwargs[model_name]
    return ArrayBackend.to_backend(make(*args, **kwargs), **{"usm_type": model.usm_type} | options)


def _refuse_random_numbers():
    raise NotImplementedError(
        "usmx makes no random numbers: make them with dask.config.set({'array.backend': 'numpy'}), "
        "and move them by x.to_backend('usmx')"
    )
