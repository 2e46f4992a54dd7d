"""Arrays in NumPy's files, .npy and .npz: read and written by pieces.

A piece passes through the host at a time, so that a large array needs no second copy of itself.
A file under a path is whole or not there (docs/decisions.md, 117).
"""

from __future__ import annotations

import io
import os
import stat
import struct
from contextlib import ExitStack, contextmanager, suppress
from operator import index
from typing import TYPE_CHECKING

from usmx import _core
from usmx._container.host import is_plain, numpy, on_host
from usmx._core import _as_array, empty, reshape

if TYPE_CHECKING:
    from typing import Any

    from usmx._core import USMArray
    from usmx._typing import (
        ArrayLike,
        DeviceLike,
        File,
        NumpyArray,
        Producer,
        Progress,
        QueueLike,
        UsmType,
    )

_PIECE_BYTES = 64 << 20  # a copy of this size runs at the full rate of the bus
_MAX_HEADER_BYTES = 2 << 20  # Python needs some hundred bytes to parse each of them
_DAMAGE = (ValueError, EOFError, LookupError, ArithmeticError, RuntimeError, SyntaxError)
_DAMAGE_MODULES = (
    "tokenize",
    "zipfile",
    "struct",
    "zlib",
    "lzma",
    "_lzma",
    "compression.zstd",
    "_zstd",
)
_MAGIC = b"\x93NUMPY"


def save(file: File, arr: Producer | ArrayLike, *, progress: Progress | None = None) -> None:
    """Write an array to a file in NumPy's format .npy. Waits.

    Under a path, the function writes a new file in the same folder, and gives it the name when it
    is complete. If that fails, the file of before is as it was. Its permissions are kept, and a
    symbolic link stays one. A hard link keeps the old file.

    Args:
        file: a path, to which ``.npy`` is added if it lacks that ending, or a file open for writing
            bytes.
        arr: a USMArray or any other producer of ``__sycl_usm_array_interface__``; or what NumPy
            makes an array of: a number, lists, an array of NumPy's. `load` reads the element types
            that usmx has, ``numpy.load`` reads all.
        progress: called after each piece with the bytes written so far and those of all elements.

    Raises:
        TypeError: `arr` is neither, or has objects for elements: nothing is pickled.
        ValueError: the names of the fields of a structured type need more than 2 MiB.
        OSError: the file cannot be written, or `file` does not take all bytes.

    Example:
        >>> import io
        >>> usmx.save(file := io.BytesIO(), usmx.arange(3))
        >>> np.load(io.BytesIO(file.getvalue()))
        array([0, 1, 2])
    """
    view = _to_write("arr", arr)
    header = _header(view)
    with _written(file, ".npy") as stream:
        _write(stream, header, view, _Counter(progress, view.nbytes))


def savez(
    file: File,
    /,
    *args: Producer | ArrayLike,
    progress: Progress | None = None,
    **kwds: Producer | ArrayLike,
) -> None:
    """Write several arrays to a file in NumPy's format .npz. Waits.

    A path is written as by `save`.

    Args:
        file: a path, to which ``.npz`` is added if it lacks that ending, or a file open for writing
            bytes.
        args: arrays, numbers and lists, as `save` takes them, named ``arr_0``, ``arr_1`` and so on
            in the file.
        progress: called after each piece with the bytes written so far and those of all elements.
        kwds: the same under their names in the file.

    Raises:
        TypeError: `save` takes no such array, or one is called ``allow_pickle``, as an argument of
            ``numpy.savez`` is.
        ValueError: two arrays have the same name, a name contains a NUL character, or the names of
            the fields of a structured type need more than 2 MiB.
        OSError: the file cannot be written, or `file` does not take all bytes.

    Example:
        >>> import io
        >>> usmx.savez(file := io.BytesIO(), x=usmx.arange(3), step=0.5)
        >>> _ = file.seek(0)
        >>> found = usmx.load(file)
        >>> print(found['x'], found['step'])
        [0 1 2] 0.5
    """
    if "allow_pickle" in kwds:  # it would become an array of the file
        raise TypeError("savez: no array may be called 'allow_pickle': usmx never pickles elements")
    views = {name: _to_write(name, array) for name, array in kwds.items()}
    for k, array in enumerate(args):
        name = f"arr_{k}"
        if name in views:
            raise ValueError(f"savez: two arrays have the name {name!r}")
        views[name] = _to_write(name, array)
    members = [(_member(name), _header(view), view) for name, view in views.items()]
    counter = _Counter(progress, sum(view.nbytes for view in views.values()))
    with _written(file, ".npz") as stream, _archive(stream, "w") as archive:
        for name, header, view in members:
            with archive.open(name, "w", force_zip64=True) as member:
                _write(_Whole(member), header, view, counter)


def load(
    file: File,
    *,
    device: DeviceLike | None = None,
    usm_type: UsmType | None = None,
    sycl_queue: QueueLike | None = None,
    progress: Progress | None = None,
) -> Any:
    """Read arrays from a file in NumPy's format .npy or .npz. Waits.

    Pickled objects are not read.

    Args:
        file: a path, or a seekable file open for reading bytes.
        device: where the arrays are: a filter string, a SyclDevice, a SyclQueue or a Device.
        usm_type: the kind of memory: 'device', 'shared' or 'host'. By default
            `default_usm_type()`.
        sycl_queue: the queue of the arrays. By default the queue that usmx keeps for the device.
        progress: called after each piece with the bytes read so far and those of all elements. In
            an .npz file each array counts for itself.

    Returns:
        The USMArray of an .npy file; of an .npz file, a dict of all its arrays by name.

    Raises:
        ValueError: the file has neither format, is cut short or damaged, has elements that usmx
            does not have, or is an archive with something else among its arrays.
        OSError: the file cannot be read.
        USMAllocationError: the memory cannot be allocated. This is a MemoryError.

    Example:
        >>> import io
        >>> np.save(file := io.BytesIO(), np.array([1.5, 2.5]))
        >>> _ = file.seek(0)
        >>> print(usmx.load(file, usm_type='shared'))
        [1.5 2.5]
    """
    options = {"device": device, "usm_type": usm_type, "sycl_queue": sycl_queue}
    with _read_from(file) as (stream, name):
        start = stream.tell()
        found = bytes(_read_up_to(stream, 4))
        stream.seek(start)
        if found in (b"PK\x03\x04", b"PK\x05\x06"):  # of an archive, also an empty one
            return _read_all(stream, name, options, progress)
        if found != _MAGIC[:4]:
            raise ValueError(
                f"load: expected a file in NumPy's format .npy or .npz, found {name}, which "
                f"begins with {found!r}"
            )
        return _read(stream, name, options, progress)


class _Counter:
    """Tells `progress` how many bytes of all have passed."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def add(self, nbytes: int) -> None:
        self.done += nbytes
        if self.progress is not None:
            self.progress(self.done, self.total)


@contextmanager
def _read_from(file):
    """(stream, its name for errors): of a stream itself, or of a path."""
    if not isinstance(file, (str, os.PathLike)):
        _require_stream(file, "read")
        yield file, repr(file)
        return
    path = os.fsdecode(file)
    # Not by pathlib, whose import takes as long as a tenth of usmx's.
    with open(path, "rb") as stream:  # noqa: PTH123
        yield stream, repr(path)


@contextmanager
def _written(file, suffix):
    """A stream that takes all bytes or raises: to a stream, or to the file of a path."""
    if not isinstance(file, (str, os.PathLike)):
        _require_stream(file, "write")
        yield _Whole(file)
        return
    path = os.fsdecode(file)
    target = os.path.realpath(path if path.endswith(suffix) else path + suffix)
    before = _state_of(target)
    if before is not None and not stat.S_ISREG(before.st_mode):  # a pipe or a device
        with open(target, "wb") as stream:  # noqa: PTH123
            yield _Whole(stream)
        return
    beside = os.path.join(os.path.dirname(target), f".usmx-{os.urandom(8).hex()}")  # noqa: PTH118, PTH120
    try:
        with open(beside, "xb") as stream:  # noqa: PTH123
            if before is not None:
                _keep_permissions(stream.fileno(), before)
            yield _Whole(stream)
        os.replace(beside, target)  # noqa: PTH105
    except BaseException as error:
        with suppress(FileNotFoundError):
            os.remove(beside)  # noqa: PTH107
        if isinstance(error, OSError) and error.filename == beside:
            error.filename = path  # the name that the caller knows
            del error.filename2  # None would be shown
        raise


def _require_stream(file, method):
    if not hasattr(file, method):
        raise TypeError(f"file must be a path or a binary stream, found {type(file).__name__}")


def _state_of(target):
    """The file's state at a path, None without a file. Raises as opening it for writing does."""
    try:
        state = os.stat(target)  # noqa: PTH116
    except FileNotFoundError:
        return None
    if stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode):
        os.close(os.open(target, os.O_WRONLY | os.O_CLOEXEC))
    return state


def _keep_permissions(descriptor, before):
    with suppress(OSError):  # only root may give files away, and some file systems have no owners
        os.fchown(descriptor, before.st_uid, before.st_gid)
    with suppress(OSError):
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


class _Whole:
    """A stream of which each write takes all bytes, or raises OSError.

    Unbuffered files take what there is room for, and only tell how much that was.
    """

    def __init__(self, stream):
        self._stream = stream

    def __getattr__(self, name):
        return getattr(self._stream, name)

    def flush(self):
        if hasattr(self._stream, "flush"):  # zipfile asks all streams
            self._stream.flush()

    def write(self, content):
        whole = memoryview(content)  # of bytes: structures cannot be cut anywhere
        done = 0
        while done < whole.nbytes:
            taken = self._stream.write(whole[done:])
            if taken is None and not isinstance(self._stream, io.RawIOBase):
                break  # many a class of write() gives nothing back
            if not hasattr(taken, "__index__") or not 0 < index(taken) <= whole.nbytes - done:
                raise OSError(
                    f"write() of {self._stream!r} must take up to {whole.nbytes - done} bytes, at "
                    f"least one, and say how many, found {taken!r}"
                )
            done += index(taken)
        return whole.nbytes


def _archive(stream, mode):
    import zipfile  # takes half as long as all of usmx

    return zipfile.ZipFile(stream, mode)


# ---- writing


def _to_write(name: str, obj: Producer | ArrayLike) -> USMArray | NumpyArray:
    """The USMArray of a producer, or what NumPy makes of anything else."""
    view = _as_array(obj)
    if view is not None:
        return view
    numbers = numpy.asarray(obj)
    if numbers.dtype.hasobject:
        raise TypeError(
            f"{name} must be an array, a number or a list of numbers, found {type(obj).__name__} "
            f"whose elements are objects, which usmx does not pickle"
        )
    return numbers


def _member(name):
    """The name of an array's file in an archive."""
    if "\0" in name:
        raise ValueError(f"savez: names must not contain NUL characters, found {name!r}")
    name.encode()  # raises ValueError before anything is opened
    return f"{name}.npy"


def _header(view):
    """The bytes before the elements in an .npy file, of the lowest version that can say it."""
    formats = numpy.lib.format
    fields = {
        "descr": formats.dtype_to_descr(view.dtype),
        "fortran_order": view.flags.fnc,
        "shape": view.shape,
    }
    header = io.BytesIO()
    if not repr(fields["descr"]).isascii():
        _write_header_3_0(header, fields)
    else:
        try:
            formats.write_array_header_1_0(header, fields)
        except ValueError:  # many fields, whose names need more than 64 KiB
            formats.write_array_header_2_0(header, fields)
    if header.tell() > _MAX_HEADER_BYTES:
        raise ValueError(
            f"names and types of fields must need at most {_MAX_HEADER_BYTES} bytes in a file, "
            f"found {header.tell()}"
        )
    return header.getvalue()


def _write_header_3_0(header, fields):
    """Version 3.0 has names in UTF-8. NumPy's writer of it is private."""
    text = repr(fields).encode()
    begin = numpy.lib.format.magic(3, 0)
    nbytes = len(begin) + 4 + len(text) + 1
    text += b" " * (-nbytes % 64) + b"\n"  # NumPy begins the elements at a multiple of 64
    header.write(begin + struct.pack("<I", len(text)) + text)


def _write(stream, header, view, counter):
    stream.write(header)
    for piece in _pieces(view.transpose() if view.flags.fnc else view):
        host = numpy.ascontiguousarray(on_host(piece))  # which keeps the order of the axes
        stream.write(host.reshape(-1).view("u1"))
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


@contextmanager
def _damage_told(name):
    """Turn errors of zipfile, its decompressors and NumPy for a damaged file into a ValueError."""
    try:
        yield
    except Exception as error:
        # bz2's OSError for damage lacks the number that those of the system have.
        of_bz2 = isinstance(error, OSError) and error.errno is None
        of_damage = isinstance(error, _DAMAGE) or type(error).__module__ in _DAMAGE_MODULES
        if not of_bz2 and not of_damage:
            raise
        raise ValueError(f"load: {name} cannot be read: {error}") from error


class _Archive(dict):
    """The arrays of an .npz file, by their names. It may be closed as NumPy's: nothing is open."""

    @property
    def files(self) -> list[str]:
        """The names."""
        return [*self]

    def close(self) -> None:
        pass

    def __enter__(self) -> _Archive:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def _read_all(stream, file, options, progress):
    arrays = _Archive()
    with ExitStack() as opened:
        with _damage_told(file):
            archive = opened.enter_context(_archive(stream, "r"))
        for member in archive.infolist():
            name = f"member {member.filename!r} of {file}"
            with _damage_told(name):
                content = opened.enter_context(archive.open(member))
            arrays[member.filename.removesuffix(".npy")] = _read(content, name, options, progress)
            content.close()
    return arrays


def _read(stream, name, options, progress):
    with _damage_told(name):
        shape, transposed, stored = _read_header(stream)
    dtype = stored.newbyteorder("=")
    array = empty(shape[::-1] if transposed else shape, dtype, **options)
    counter = _Counter(progress, array.nbytes)
    flat = reshape(array, -1, copy=False)
    rows = max(_PIECE_BYTES // stored.itemsize, 1)
    for start in range(0, flat.size, rows):
        piece = flat[start : start + rows]
        with _damage_told(name):
            content = _read_exactly(stream, piece.nbytes)
        numbers = numpy.frombuffer(content, stored)
        _core._copy_from_host(piece, numbers.astype(dtype, copy=False))
        counter.add(piece.nbytes)
    return array.transpose() if transposed else array


def _read_header(stream):
    """(shape, whether Fortran order, element type) of an .npy file."""
    begin = _read_exactly(stream, 8)
    if bytes(begin[:6]) != _MAGIC:
        raise ValueError(f"expected an array in format .npy, found {bytes(begin)!r} at its begin")
    version = tuple(begin[6:])
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f".npy files of version 1.0, 2.0 and 3.0 are read, found {version}")
    nbytes = int.from_bytes(_read_exactly(stream, 2 if version == (1, 0) else 4), "little")
    if nbytes > _MAX_HEADER_BYTES:
        raise ValueError(f"a header must have at most {_MAX_HEADER_BYTES} bytes, found {nbytes}")
    text = bytes(_read_exactly(stream, nbytes))
    if version == (3, 0):  # a Python literal, and so the same with its names in escapes
        text = text.decode().encode("ascii", "backslashreplace")
    shape, transposed, stored = _parsed_header(text)
    if not is_plain(stored) and stored.names is None:
        raise ValueError(
            "elements must be bool, integers, floating-point or complex numbers of at most "
            f"64 bits a component, or structures of them, found {stored}"
        )
    if any(extent < 0 for extent in shape):
        raise ValueError(f"the shape must not be negative, found {shape}")
    return shape, transposed, stored


def _parsed_header(text):
    """Parse as NumPy's reader 2.0, without its limit of 10,000 bytes: NumPy writes more."""
    stream = io.BytesIO(struct.pack("<I", len(text)) + text)
    try:
        return numpy.lib.format.read_array_header_2_0(stream, max_header_size=len(text))
    except (MemoryError, TypeError) as error:  # of Python's parser, and of keys that are no text
        raise ValueError(f"its header is no dictionary of an array: {error}") from error


def _read_up_to(stream, nbytes):
    """A file gives fewer bytes at a time if it is compressed, unbuffered or a pipe."""
    content = io.BytesIO()
    while content.tell() < nbytes:
        part = stream.read(nbytes - content.tell())
        if not part:
            break
        content.write(part)
    return content.getbuffer()


def _read_exactly(stream, nbytes):
    content = _read_up_to(stream, nbytes)
    if len(content) < nbytes:
        raise ValueError(f"it is cut short, {nbytes - len(content)} bytes are missing")
    return content
