"""The registration that Dask asks installed packages for: how large usmx's objects are.

Dask imports this module whenever it is imported itself, whether or not the program uses usmx. So
it imports nothing at its top, and usmx only when Dask meets the first object of usmx's: a broken
usmx does not break Dask. The array backend is a module of its own.
"""


def register_sizes(sizeof):
    """Entry point ``dask.sizeof``: tell Dask's ``sizeof`` how large objects of usmx are.

    Parameters
    ----------
    sizeof : dask.utils.Dispatch
        Dask's function.
    """

    @sizeof.register_lazy("usmx")
    def register():
        from usmx import USMArray
        from usmx.memory import MemoryUSMDevice, MemoryUSMHost, MemoryUSMShared

        sizeof.register(USMArray)(_array_nbytes)
        sizeof.register((MemoryUSMDevice, MemoryUSMHost, MemoryUSMShared))(_memory_nbytes)


def _array_nbytes(array):
    """The bytes of the elements, of which a broadcast repeats some: those count once."""
    distinct = array.itemsize
    for extent, stride in zip(array.shape, array.strides, strict=True):
        distinct *= extent if stride else min(extent, 1)
    return distinct


def _memory_nbytes(memory):
    return memory.nbytes
