"""Arrays in NumPy's files, .npy and .npz: read and written by pieces.

A piece passes through the host at a time, so that a large array needs no second copy of itself.
"""

from __future__ import annotations

import io
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.creation import as_view
from usmx._container.host import PLAIN, _numpy
from usmx._core import asnumpy, empty, reshape

if TYPE_CHECKING:
    from typing import Any

    from usmx._typing import DeviceLike, File, Producer, Progress, QueueLike, UsmType

_PIECE_BYTES = 64 << 20  # a copy of this size runs at the full rate of the bus


def save(file: File, arr: Producer, *, progress: Progress | None = None) -> None:
    """Write an array to a file in NumPy's format .npy. Waits.

    Args:
        file: a path, to which ``.npy`` is added if it lacks that ending, or a file open for writing
            bytes.
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``.
        progress: called after each piece with the bytes written so far and those of all elements.

    Raises:
        TypeError: `arr` is no producer.
        OSError: the file cannot be written.

    Example:
        >>> import io
        >>> usmx.save(file := io.BytesIO(), usmx.arange(3))
        >>> np.load(io.BytesIO(file.getvalue()))
        array([0, 1, 2])
    """
    view = as_view("arr", arr)
    with _opened(file, ".npy", "wb") as stream:
        _write(stream, view, _Counter(progress, view.nbytes))


def savez(
    file: File, /, *args: Producer, progress: Progress | None = None, **kwds: Producer
) -> None:
    """Write several arrays to a file in NumPy's format .npz. Waits.

    Args:
        file: a path, to which ``.npz`` is added if it lacks that ending, or a file open for writing
            bytes.
        args: arrays, named ``arr_0``, ``arr_1`` and so on in the file.
        progress: called after each piece with the bytes written so far and those of all elements.
        kwds: arrays under their names in the file.

    Raises:
        TypeError: an array is no producer.
        ValueError: two arrays have the same name.
        OSError: the file cannot be written.

    Example:
        >>> import io
        >>> usmx.savez(file := io.BytesIO(), x=usmx.arange(3))
        >>> _ = file.seek(0)
        >>> print(usmx.load(file)['x'])
        [0 1 2]
    """
    views = {name: as_view(name, array) for name, array in kwds.items()}
    for k, array in enumerate(args):
        name = f"arr_{k}"
        if name in views:
            raise ValueError(f"savez: two arrays have the name {name!r}")
        views[name] = as_view(name, array)
    counter = _Counter(progress, sum(view.nbytes for view in views.values()))
    with _opened(file, ".npz", "wb") as stream, _archive(stream, "w") as archive:
        for name, view in views.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                _write(member, view, counter)


def load(
    file: File,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType = "device",
    sycl_queue: QueueLike | None = None,
    progress: Progress | None = None,
) -> Any:
    """Read arrays from a file in NumPy's format .npy or .npz. Waits.

    Pickled objects are not read.

    Args:
        file: a path, or a seekable file open for reading bytes.
        device: where the arrays are: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'.
        sycl_queue: the queue of the arrays. By default the queue that usmx keeps for the device.
        progress: called after each piece with the bytes read so far and those of all elements. In
            an .npz file each array counts for itself.

    Returns:
        The USMArray of an .npy file; of an .npz file, a dict of all its arrays by name.

    Raises:
        ValueError: the file has neither format, is cut short, or has elements that usmx does not
            have.
        OSError: the file cannot be read.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> import io
        >>> np.save(file := io.BytesIO(), np.array([1.5, 2.5]))
        >>> _ = file.seek(0)
        >>> print(usmx.load(file, usm_type='shared'))
        [1.5 2.5]
    """
    place = {"device": device, "usm_type": usm_type, "sycl_queue": sycl_queue}
    with _opened(file, "", "rb") as stream:
        start = stream.tell()
        found = stream.read(4)
        stream.seek(start)
        if found in (b"PK\x03\x04", b"PK\x05\x06"):  # of an archive, also an empty one
            return _read_all(stream, place, progress)
        if found != b"\x93NUM":
            raise ValueError(
                f"load: expected a file in NumPy's format .npy or .npz, found {file!r}, which "
                f"begins with {found!r}"
            )
        return _read(stream, place, progress)


class _Counter:
    """Tells `progress` how many bytes of all have passed."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def add(self, nbytes: int) -> None:
        self.done += nbytes
        if self.progress is not None:
            self.progress(self.done, self.total)


@contextmanager
def _opened(file, suffix, mode):
    """A stream as it is; a path opened, and closed at the end."""
    if not isinstance(file, (str, os.PathLike)):
        if not hasattr(file, "read" if mode == "rb" else "write"):
            raise TypeError(f"file must be a path or a binary stream, found {type(file).__name__}")
        yield file
        return
    path = os.fspath(file)
    # Not by pathlib, whose import takes as long as a tenth of usmx's.
    with open(path if path.endswith(suffix) else path + suffix, mode) as stream:  # noqa: PTH123
        yield stream


def _archive(stream, mode):
    import zipfile  # takes half as long as all of usmx

    return zipfile.ZipFile(stream, mode)


# ---- writing


def _write(stream, view, counter):
    formats = _numpy().lib.format
    transposed = view.flags.fnc
    header = {
        "descr": formats.dtype_to_descr(view.dtype),
        "fortran_order": transposed,
        "shape": view.shape,
    }
    try:
        formats.write_array_header_1_0(stream, header)
    except ValueError:  # many fields, whose names need more than 64 KiB
        formats.write_array_header_2_0(stream, header)
    for piece in _pieces(view.transpose() if transposed else view):
        host = asnumpy(piece)
        stream.write(host.data if host.size else b"")
        counter.add(host.nbytes)


def _pieces(view):
    """Views of at most the size of a piece that have all elements in C order."""
    if view.nbytes <= _PIECE_BYTES or view.ndim == 0:
        yield view
        return
    rows = _PIECE_BYTES * view.shape[0] // view.nbytes
    if rows == 0:
        for k in range(view.shape[0]):
            yield from _pieces(view[k])
        return
    for start in range(0, view.shape[0], rows):
        yield view[start : start + rows]


# ---- reading


def _read_all(stream, place, progress):
    arrays = {}
    with _archive(stream, "r") as archive:
        for name in archive.namelist():
            with archive.open(name) as member:
                arrays[name.removesuffix(".npy")] = _read(member, place, progress)
    return arrays


def _read(stream, place, progress):
    shape, transposed, stored = _read_header(stream)
    dtype = stored.newbyteorder("=")
    array = empty(shape[::-1] if transposed else shape, dtype, **place)
    counter = _Counter(progress, array.nbytes)
    flat = reshape(array, -1, copy=False)
    rows = max(_PIECE_BYTES // stored.itemsize, 1)
    for start in range(0, flat.size, rows):
        piece = flat[start : start + rows]
        numbers = _numpy().frombuffer(_read_exactly(stream, piece.nbytes), stored)
        _core._copy_from_host(piece, numbers.astype(dtype, copy=False))
        counter.add(piece.nbytes)
    return array.transpose() if transposed else array


def _read_header(stream):
    """(shape, whether Fortran order, element type) of an .npy file."""
    formats = _numpy().lib.format
    version = formats.read_magic(stream)
    readers = {
        (1, 0): formats.read_array_header_1_0,
        (2, 0): formats.read_array_header_2_0,
    }
    if version not in readers:
        raise ValueError(f"load: .npy files of version 1.0 and 2.0 are read, found {version}")
    shape, transposed, stored = readers[version](stream)
    if stored.char not in PLAIN and stored.names is None:
        raise ValueError(
            "load: elements must be bool, integers, floating-point or complex numbers of at most "
            f"64 bits a component, or structures of them, found {stored}"
        )
    if any(extent < 0 for extent in shape):
        raise ValueError(f"load: the shape must not be negative, found {shape}")
    return shape, transposed, stored


def _read_exactly(stream, nbytes):
    """A file gives fewer bytes at a time if it is compressed or a pipe."""
    content = io.BytesIO()
    while content.tell() < nbytes:
        part = stream.read(nbytes - content.tell())
        if not part:
            raise ValueError(
                f"load: the file is cut short, {nbytes - content.tell()} bytes are missing"
            )
        content.write(part)
    return content.getbuffer()
