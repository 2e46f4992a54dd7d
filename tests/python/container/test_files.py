"""NumPy reads what usmx writes, and the other way round."""

import copy
import errno
import io
import os
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest
import usmx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from usmx._container import files

ARRAYS = {
    "matrix": np.arange(12.0).reshape(3, 4),
    "Fortran": np.asfortranarray(np.arange(12).reshape(3, 4)),
    "strided": np.arange(60, dtype="f4").reshape(3, 4, 5)[::-1, ::2],
    "permuted": np.arange(24, dtype="i2").reshape(2, 3, 4).transpose(1, 2, 0),
    "0-d": np.array(3 + 4j),
    "empty": np.zeros((0, 3), "i2"),
    "structured": np.array([(1, 2.5), (3, 4.5)], [("x", "i4"), ("y", "f8")]),
}


@pytest.fixture(params=[None, 24], ids=["one piece", "pieces of 24 bytes"])
def _piece(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(files, "_PIECE_BYTES", request.param)


@pytest.mark.usefixtures("_piece")
@pytest.mark.parametrize("numbers", ARRAYS.values(), ids=ARRAYS)
def test_numpy_reads_it(numbers):
    file = io.BytesIO()
    usmx.save(file, usmx.asarray(numbers))
    file.seek(0)
    np.testing.assert_array_equal(np.load(file), numbers, strict=True)


@pytest.mark.usefixtures("_piece")
def test_gaps_and_reversed_axes_are_written_in_order():
    numbers = np.arange(60, dtype="f4").reshape(3, 4, 5)
    file = io.BytesIO()
    usmx.save(file, usmx.asarray(numbers)[::-1, ::2])
    file.seek(0)
    np.testing.assert_array_equal(np.load(file), numbers[::-1, ::2])


@pytest.mark.usefixtures("_piece")
@pytest.mark.parametrize("numbers", ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("kind", ["device", "shared"])
def test_it_reads_numpys(numbers, kind):
    file = io.BytesIO()
    np.save(file, numbers)
    file.seek(0)
    read = usmx.load(file, usm_type=kind)
    assert read.usm_type == kind
    np.testing.assert_array_equal(usmx.asnumpy(read), numbers, strict=True)


def test_foreign_byte_order_is_converted():
    file = io.BytesIO()
    np.save(file, np.arange(3, dtype=">i4"))
    file.seek(0)
    assert usmx.load(file).tolist() == [0, 1, 2]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed, usmx.savez])
def test_archive_is_a_dict(save, tmp_path):
    module = usmx if save is usmx.savez else np
    save(tmp_path / "numbers.npz", module.arange(3), x=module.ones(2))
    read = usmx.load(tmp_path / "numbers.npz")
    assert isinstance(read, dict)
    with read as opened:  # as NumPy's, which is closed
        assert sorted(opened.files) == ["arr_0", "x"]
    read.close()
    assert type(copy.copy(read)) is dict
    assert [*copy.copy(read)] == [*read]
    assert {name: array.tolist() for name, array in read.items()} == {
        "arr_0": [0, 1, 2],
        "x": [1.0, 1.0],
    }


def test_suffix_is_added(tmp_path):
    usmx.save(tmp_path / "a", usmx.arange(3))
    usmx.savez(str(tmp_path / "b"), usmx.arange(3))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "b.npz"]


def test_progress_counts_all_bytes(monkeypatch):
    monkeypatch.setattr(files, "_PIECE_BYTES", 16)
    told = []
    file = io.BytesIO()
    usmx.save(file, usmx.zeros(5), progress=lambda done, total: told.append((done, total)))
    assert told == [(16, 40), (32, 40), (40, 40)]
    file.seek(0)
    usmx.load(file, progress=lambda *numbers: told.append(numbers))
    assert told[3:] == told[:3]


def npy(descr="<f8", shape=(3,), content=b""):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": descr, "fortran_order": False, "shape": shape}
    )
    return file.getvalue() + content


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy(content=bytes(23)), "BytesIO.*cut short, 1 bytes are missing"),
        (npy()[:9], "cut short, 1 bytes are missing"),
        (npy()[:8] + b"\xff\xff" + npy()[10:], "cut short"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\x7f", "header must have at most .* found 2147483647"),
        (b"\x93NUMPY\x02\x00\x10\x27\x00\x00" + b"[" * 10000, "cannot be read"),
        (b"\x93NUMPY\x02\x00\x40\x42\x0f\x00" + b"-" * 1000000, "cannot be read"),
        (b"\x93NUMPY\x03\x00\x02\x00\x00\x00\xff\xff", "cannot be read"),
        (npy("|O"), "elements must be"),
        (npy("<U3"), "elements must be"),
        (npy(shape=(-1,)), "must not be negative"),
        (npy(shape=(1 << 62, 4)), "elements|bytes|large|overflow"),
        (b"", "which begins with b''"),
        (b"nothing that NumPy wrote", "NumPy's format .npy or .npz, found .*begins with b'noth'"),
        (npy()[:6] + b"\x07\x00" + npy()[8:], "version"),
    ],
)
def test_bad_file_is_a_value_error(content, message):
    with pytest.raises(ValueError, match=message):
        usmx.load(io.BytesIO(content))


def archive_of(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def test_damaged_archive_is_a_value_error_that_names_the_file(tmp_path):
    path = tmp_path / "numbers.npz"
    usmx.savez(path, usmx.arange(100))
    content = bytearray(path.read_bytes())
    content[300] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="'arr_0.npy' of '.*numbers.npz' cannot be read: .*CRC"):
        usmx.load(path)
    path.write_bytes(content[:400])
    with pytest.raises(ValueError, match=r"numbers.npz' cannot be read: File is not a zip file"):
        usmx.load(path)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    compressed=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2]),
    change=st.lists(st.tuples(st.integers(4, 600), st.integers(0, 255)), min_size=1, max_size=3),
    cut=st.integers(0, 600),
)
def test_any_damage_is_a_value_error(compressed, change, cut):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compressed) as archive:
        archive.writestr("x.npy", npy(shape=(20,), content=np.arange(20.0).tobytes()))
    content = bytearray(file.getvalue())
    for place, value in change:
        if place < len(content):
            content[place] = value
    try:
        read = usmx.load(io.BytesIO(content[: len(content) - cut] if cut < 100 else content))
    except ValueError as error:
        assert "BytesIO" in str(error)  # noqa: PT017
    else:
        assert set(map(type, read.values())) <= {usmx.USMArray}


@pytest.mark.parametrize("content", [b"", b"text", npy("|O"), npy(content=bytes(3))])
def test_bad_member_is_named(content):
    with pytest.raises(ValueError, match="member 'notes.txt' of .*BytesIO.* cannot be read"):
        usmx.load(io.BytesIO(archive_of(**{"x.npy": npy(content=bytes(24)), "notes.txt": content})))


# ---- headers

MANY_FIELDS = np.dtype([(f"a_long_name_of_a_field_{k}", "f4") for k in range(800)])
FIELDS = {
    "Latin-1": np.dtype([("größe", "f4")]),
    "beyond Latin-1": np.dtype([("長さ", "f4"), ("\U0001f600'\\", "i2", (2,))]),
    "many": MANY_FIELDS,
    "more than 64 KiB": np.dtype([(f"{k:0100}", "u1") for k in range(800)]),
}


@pytest.mark.filterwarnings("ignore:Stored array in format")
@pytest.mark.parametrize("fields", FIELDS.values(), ids=FIELDS)
def test_all_names_of_fields_are_written_and_read(fields):
    numbers = np.frombuffer(bytes(k % 100 for k in range(2 * fields.itemsize)), fields)
    ours, theirs = io.BytesIO(), io.BytesIO()
    usmx.save(ours, usmx.asarray(numbers))
    np.save(theirs, numbers)
    for file in (ours, theirs):
        file.seek(0)
        read = usmx.load(file)
        assert read.dtype == fields
        assert read.tobytes() == numbers.tobytes()
    ours.seek(0)
    read = np.load(ours, max_header_size=10**6)
    assert read.dtype == fields
    assert read.tobytes() == numbers.tobytes()


def test_elements_begin_at_a_multiple_of_64():
    file = io.BytesIO()
    usmx.save(file, usmx.asarray(np.zeros(2, FIELDS["beyond Latin-1"])))
    assert file.getvalue()[6:8] == b"\x03\x00"
    assert (len(file.getvalue()) - 16) % 64 == 0


def test_header_that_could_not_be_read_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_MAX_HEADER_BYTES", 10000)
    path = tmp_path / "a.npy"
    path.write_bytes(b"before")
    with pytest.raises(ValueError, match="at most 10000 bytes in a file, found 3"):
        usmx.save(path, usmx.asarray(np.zeros(1, MANY_FIELDS)))
    assert path.read_bytes() == b"before"


# ---- whole or not there


class Full(Exception):
    pass


def fail(*_):
    raise Full


SAVES = {
    "a.npy": lambda path, **more: usmx.save(path, usmx.arange(4), **more),
    "a.npz": lambda path, **more: usmx.savez(path, usmx.arange(2), x=usmx.arange(2), **more),
}
any_save = pytest.mark.parametrize(("name", "save"), SAVES.items(), ids=SAVES)


@any_save
def test_file_of_before_stays_if_writing_fails(name, save, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"before")
    with pytest.raises(Full):
        save(path, progress=fail)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


@any_save
def test_no_file_is_left_if_writing_fails(name, save, tmp_path):
    with pytest.raises(Full):
        save(tmp_path / name, progress=fail)
    assert list(tmp_path.iterdir()) == []


@any_save
def test_file_appears_when_it_is_complete(name, save, tmp_path):
    path = tmp_path / name
    seen = []
    save(path, progress=lambda *_: seen.append(path.exists()))
    assert set(seen) == {False}
    usmx.load(path)
    assert list(tmp_path.iterdir()) == [path]


@any_save
def test_permissions_and_links_stay(name, save, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    path, link = folder / name, tmp_path / name
    path.write_bytes(b"before")
    path.chmod(0o640)
    link.symlink_to(path)
    save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    usmx.load(path)


def test_new_file_has_the_permissions_of_any_new_file(tmp_path):
    usmx.save(tmp_path / "a.npy", usmx.arange(3))
    (tmp_path / "b").touch()
    assert (tmp_path / "a.npy").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_link_to_nothing_makes_its_target(tmp_path):
    (tmp_path / "a.npy").symlink_to(tmp_path / "b.npy")
    usmx.save(tmp_path / "a.npy", usmx.arange(3))
    assert (tmp_path / "a.npy").is_symlink()
    assert usmx.load(tmp_path / "b.npy").tolist() == [0, 1, 2]


def test_path_of_bytes_is_a_path(tmp_path):
    class Path:
        def __fspath__(self):
            return os.fsencode(tmp_path / "a")

    usmx.save(Path(), usmx.arange(3))
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]


def test_error_names_the_path_that_was_given(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        usmx.save(tmp_path / "missing" / "a.npy", usmx.arange(3))
    assert raised.value.filename == str(tmp_path / "missing" / "a.npy")
    assert str(raised.value).endswith("missing/a.npy'")
    (tmp_path / "a.npy").mkdir()
    with pytest.raises(IsADirectoryError, match=r"a\.npy'$"):
        usmx.save(tmp_path / "a.npy", usmx.arange(3))


@any_save
def test_full_device_is_an_error(name, save, tmp_path):
    (tmp_path / name).symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left") as raised:
        save(tmp_path / name)
    assert raised.value.errno == errno.ENOSPC
    full = Path("/dev/full")
    with full.open("wb", buffering=0) as stream, pytest.raises(OSError, match="No space"):
        save(stream)
    assert stat.S_ISCHR((tmp_path / name).stat().st_mode)


# ---- streams that take a part


class Sink:
    """Takes at most so many bytes of each write, and tells it, or what it is told to tell."""

    def __init__(self, most, answer=lambda taken: taken):
        self.content, self.most, self.answer = b"", most, answer

    def write(self, content):
        taken = bytes(content[: self.most])
        self.content += taken
        return self.answer(len(taken))


@any_save
@pytest.mark.parametrize("most", [1, 7, 1000])
def test_stream_that_takes_a_part_gets_the_rest(name, save, most):
    whole = io.BytesIO()
    save(whole)
    sink = Sink(most)
    save(sink)
    if name == "a.npy":
        assert sink.content == whole.getvalue()
    read = usmx.load(io.BytesIO(sink.content))
    expected = usmx.load(io.BytesIO(whole.getvalue()))
    assert str(read) == str(expected)


@any_save
@pytest.mark.parametrize("told", [0, -1, 1 << 40, "5", 2.0], ids=repr)
def test_stream_that_takes_nothing_or_lies_is_an_error(name, save, told):
    with pytest.raises(OSError, match="write.* of .*Sink.* must take up to .* found"):
        save(Sink(5, lambda taken: told))


@any_save
def test_stream_that_tells_nothing_takes_all(name, save):
    sink = Sink(1 << 30, lambda taken: None)
    save(sink)
    usmx.load(io.BytesIO(sink.content))


def test_stream_that_does_not_block_is_an_error_when_full():
    receiver, sender = os.pipe()
    os.set_blocking(sender, False)
    with (
        os.fdopen(receiver, "rb"),
        os.fdopen(sender, "wb", buffering=0) as stream,
        pytest.raises(OSError, match="found None"),
    ):
        usmx.save(stream, usmx.zeros(1 << 20))


@pytest.mark.slow
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data(), piece=st.integers(1, 200))
def test_any_view_is_written(data, piece, monkeypatch):
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=4)))
    axes = data.draw(st.permutations(range(len(shape))))
    keys = tuple(slice(None, None, data.draw(st.sampled_from([1, 2, -1, -2]))) for _ in shape)
    numbers = np.arange(np.prod(shape, dtype=int), dtype="i4").reshape(shape)
    monkeypatch.setattr(files, "_PIECE_BYTES", piece)
    file = io.BytesIO()
    usmx.save(file, usmx.asarray(numbers).transpose(*axes)[keys])
    file.seek(0)
    np.testing.assert_array_equal(np.load(file), numbers.transpose(axes)[keys], strict=True)
    file.seek(0)
    assert usmx.load(file).tolist() == numbers.transpose(axes)[keys].tolist()


# ---- what is no USM array

OF_THE_HOST = {
    "number": 0.1,
    "integer": 5,
    "complex number": 1 - 2j,
    "list": [1, 2, 3],
    "nested list": [[1.5, 2], [3, 4]],
    "NumPy's number": np.float32(2.5),
    "text": "run 1",
    "foreign byte order": np.arange(3, dtype=">i4"),
    "no bytes": np.zeros(3, "V0"),
    **ARRAYS,
}


@pytest.mark.usefixtures("_piece")
@pytest.mark.parametrize("given", OF_THE_HOST.values(), ids=OF_THE_HOST)
def test_what_numpy_makes_an_array_of_is_written_as_numpy_does(given):
    ours, numpys, archive = io.BytesIO(), io.BytesIO(), io.BytesIO()
    usmx.save(ours, given)
    np.save(numpys, given)
    assert ours.getvalue() == numpys.getvalue()
    usmx.savez(archive, given, named=given, x=usmx.arange(3))
    found = np.load(io.BytesIO(archive.getvalue()))
    assert sorted(found) == ["arr_0", "named", "x"]
    for name in ("arr_0", "named"):
        assert found[name].dtype == np.asarray(given).dtype
        np.testing.assert_array_equal(found[name], given)


def test_numbers_beside_arrays_are_read_again():
    usmx.savez(file := io.BytesIO(), dt=0.1, n=5, x=usmx.arange(3))
    file.seek(0)
    found = usmx.load(file)
    assert (float(found["dt"]), int(found["n"]), found["x"].tolist()) == (0.1, 5, [0, 1, 2])


@pytest.mark.parametrize("given", [None, object(), np.array([1, "a"], object), {"x": 1}])
def test_objects_are_refused(given, tmp_path):
    with pytest.raises(TypeError, match="arr must be an array, .* found .* objects"):
        usmx.save(tmp_path / "a", given)
    with pytest.raises(TypeError, match="x must be an array, .* found .* objects"):
        usmx.savez(tmp_path / "a", x=given)
    assert list(tmp_path.iterdir()) == []


def test_argument_of_numpys_is_not_written_as_an_array():
    with pytest.raises(TypeError, match="'allow_pickle'"):
        usmx.savez(io.BytesIO(), x=usmx.zeros(1), allow_pickle=False)


# ---- names


def test_names_must_differ():
    with pytest.raises(ValueError, match="two arrays have the name 'arr_0'"):
        usmx.savez(io.BytesIO(), usmx.zeros(1), arr_0=usmx.zeros(1))


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_an_archive_cannot_have_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match="NUL|surrogates"):
        usmx.savez(tmp_path / "a", **{name: usmx.zeros(1)})
    assert list(tmp_path.iterdir()) == []
