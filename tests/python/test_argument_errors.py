"""A call that fits no signature of a native function: one sentence says what was expected and found."""

import re

import pytest
import usmx


class Derived(usmx.USMArray):
    """A class of a user's."""


CALLS = {
    lambda a: usmx.flip(a, 0, 1): (
        "flip(X: Operand, /, axis: Axes | None = None), found flip(USMArray, int, int)"
    ),
    lambda a: usmx.memory.get_memory_pool().set_limit(1): (
        "set_limit(*, size: SupportsIndex | None = None, fraction: float | None = None), "
        "found set_limit(int)"
    ),
    lambda a: usmx.memory.MemoryUSMShared(): "found MemoryUSMShared()",
    lambda a: usmx.SyclDevice("cpu", name=3): "found SyclDevice(str, name=int)",
    lambda a: usmx.USMArray(): "found USMArray()",
    lambda a: Derived(): "USMArray(shape: ",
    lambda a: usmx.zeros(size=3): "found zeros(size=int)",
}


@pytest.mark.parametrize("call", CALLS)
def test_call_that_fits_no_signature_is_one_sentence(call):
    with pytest.raises(TypeError, match=f"^expected .*?{re.escape(CALLS[call])}") as caught:
        call(usmx.zeros(3))
    text = str(caught.value)
    assert "\n" not in text
    assert not re.search(r"\b_|usmx\._core|typing", text)


def test_all_signatures_are_named_of_a_class_with_several():
    with pytest.raises(TypeError, match=r"expected SyclQueue\(arg: .* or SyclQueue\(context: "):
        usmx.SyclQueue(1, 2, 3)


def test_type_errors_of_functions_themselves_stay_as_they_are():
    with pytest.raises(TypeError, match="^'nbytes' must be a number of bytes or an object"):
        usmx.memory.MemoryUSMShared("8")


def test_classes_show_where_users_find_them():
    assert repr(usmx.USMArray) == "<class 'usmx.USMArray'>"
    assert repr(usmx.memory.MemoryUSMHost) == "<class 'usmx.memory.MemoryUSMHost'>"
    with pytest.raises(AttributeError, match="^'USMArray' object has no attribute 'foo'"):
        usmx.zeros(3).foo  # noqa: B018


def test_shape_that_is_an_array_names_asarray():
    with pytest.raises(TypeError, match="'shape' must be .* found USMArray: usmx.asarray"):
        usmx.USMArray(usmx.zeros(3))


def test_element_type_that_is_none_lists_those_that_are():
    with pytest.raises(ValueError, match=r"'dtype' must be bool, .* found <class 'str'>"):
        usmx.zeros(3, dtype=str)
    with pytest.raises(TypeError, match=r"found 4: a shape of several dimensions is one tuple"):
        usmx.zeros(3, 4)


def test_integer_of_thousands_of_digits_is_named_by_its_size():
    with pytest.raises(OverflowError, match="an integer of 16610 bits out of bounds for int32"):
        usmx.full(3, 10**5000, dtype="i4")


def test_missing_memory_is_told_once():
    with pytest.raises(usmx.USMAllocationError) as caught:
        usmx.zeros(1 << 50)
    assert str(caught.value).count("cannot allocate") == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: usmx.eye(2.5), "N must be an integer, found 2.5"),
        (lambda: usmx.eye(2, k="x"), "k must be an integer, found 'x'"),
        (lambda: usmx.linspace(0, 1, 2.5), "num must be an integer, found 2.5"),
        (lambda: usmx.tile(usmx.ones(2), "x"), "a count of repetitions must be an integer, found"),
        (lambda: usmx.repeat(usmx.ones(2), "x"), "repeats must be an integer or integers, found"),
        (lambda: usmx.repeat(usmx.ones(2), [1, 2.5]), "a count of repeats must be an integer"),
        (lambda: usmx.rot90(usmx.ones((2, 2)), 0.5), "k must be an integer, found 0.5"),
        (lambda: usmx.diagonal(usmx.ones((2, 2)), 0.5), "offset must be an integer, found 0.5"),
        (lambda: usmx.split(usmx.ones(4), [1.5]), "must be an integer, found 1.5"),
    ],
)
def test_argument_that_is_no_integer_is_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()
