"""NumPy reads what usmx writes, and the other way round."""

import io
import zipfile

import numpy as np
import pytest
import usmx
from usmx._container import files

ARRAYS = {
    "matrix": np.arange(12.0).reshape(3, 4),
    "Fortran": np.asfortranarray(np.arange(12).reshape(3, 4)),
    "strided": np.arange(60, dtype="f4").reshape(3, 4, 5)[::-1, ::2],
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
        (npy(content=bytes(23)), "cut short, 1 bytes are missing"),
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


def test_damaged_archive_is_refused():
    file = io.BytesIO()
    usmx.savez(file, usmx.arange(100))
    content = bytearray(file.getvalue())
    content[300] ^= 1
    with pytest.raises(zipfile.BadZipFile, match="CRC"):
        usmx.load(io.BytesIO(content))


def test_names_must_differ():
    with pytest.raises(ValueError, match="two arrays have the name 'arr_0'"):
        usmx.savez(io.BytesIO(), usmx.zeros(1), arr_0=usmx.zeros(1))
