"""CSV files: what is read, and where what cannot be read is."""

import pytest
from usmx_demo.csv_numbers import read_csv
from usmx_demo.error import DemoError


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["at least 2 rows", "found 0"]),
        (b"\n\n", ["at least 2 rows", "found 0"]),
        (b"a,b\n", ["at least 2 rows", "found 0"]),
        (b"1,2\n", ["at least 2 rows", "found 1"]),
        (b"a,b\n1,2\n", ["at least 2 rows", "found 1"]),
        (b"1,2\n3,four\n", ["line 2, column 2", "'four'"]),
        (b"a,1\n3,4\n5,6\n", ["line 1, column 1", "'a'"]),
        (b"a,b\n1,2\n\n3,x\n", ["line 4, column 2", "'x'"]),
        (b"1,2\n3,\n", ["line 2, column 2", "expected a number, found ''"]),
        (b"1,2\n,\n", ["line 2, column 1", "expected a number, found ''"]),
        (b"1,2\n3,4,5\n", ["line 2", "expected 2 columns, found 3"]),
        (b"1,2\n3\n", ["line 2", "expected 2 columns, found 1"]),
        (b"1,2\n3,nan\n", ["line 2, column 2", "finite", "'nan'"]),
        (b"1,2\n-inf,4\n", ["line 2, column 1", "finite", "'-inf'"]),
        (b"1,2\n1e999,4\n", ["line 2, column 1", "finite", "'1e999'"]),
        (b"1,2\n3,\xff\n", ["UTF-8", "0xff"]),
        (b"1,2\n3,\x00\n", ["line 2"]),
        (b'1,2\n3,"4\n', ["line 2"]),
    ],
)
def test_bad_csv_is_refused_with_its_place(tmp_path, content, parts):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(DemoError) as caught:
        read_csv(path)
    message = str(caught.value)
    assert "bad.csv" in message
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_good_csv_is_read(tmp_path):
    path = tmp_path / "good.csv"
    path.write_bytes(b'\xef\xbb\xbf"a","b"\r\n1, 2.5\r\n\r\n"3",-4e2\r\n')
    numbers = read_csv(path)
    assert list(numbers.values) == [1, 2.5, 3, -400]
    assert (numbers.rows, numbers.columns) == (2, 2)
