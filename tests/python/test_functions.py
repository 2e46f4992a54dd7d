"""The functions of the package as it hands them out."""

import inspect
import pickle
import pydoc
import re

import numpy as np
import pytest
import usmx
import usmx.testing
from usmx._container.host import _odd_element

FUNCTIONS = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (usmx, usmx.memory)
    for name in module.__all__
    if inspect.isroutine(getattr(module, name))
}
OF_THE_PACKAGE = {
    name
    for name, function in FUNCTIONS.items()
    if inspect.isfunction(function) and name.startswith("usmx.") and name.count(".") == 1
}
TAKING_ANY = {"usmx.pad", "usmx.print_options", "usmx.savez"}
# Functions of less than a microsecond, which have Python's own error.
SHORT = {"usmx.astype", "usmx.copy_async", "usmx.fill_async"}


def keywords_of(function):
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]


def test_most_functions_are_among_these():
    assert len(FUNCTIONS) > 80
    assert len(OF_THE_PACKAGE) > 40
    assert OF_THE_PACKAGE > TAKING_ANY


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - TAKING_ANY - SHORT))
def test_unknown_keyword_is_answered_by_the_known_ones(name):
    with pytest.raises(TypeError) as caught:
        FUNCTIONS[name](no_such_keyword=1)
    if name in OF_THE_PACKAGE:
        assert str(caught.value) == (
            f"{FUNCTIONS[name].__name__}() got an unexpected keyword argument 'no_such_keyword', "
            f"it takes {', '.join(keywords_of(FUNCTIONS[name]))}"
        )
    elif inspect.isbuiltin(FUNCTIONS[name]):
        text = str(caught.value)
        assert [k for k in keywords_of(FUNCTIONS[name]) if f"{k}: " not in text] == []


METHODS = {
    f"{cls.__name__}.{name}": function
    for cls in (usmx.USMArray, usmx.SyclDevice, usmx.SyclQueue, usmx.memory.MemoryPool)
    for name, function in vars(cls).items()
    if inspect.isfunction(function) and not name.startswith("_")
}


@pytest.mark.parametrize("name", sorted(METHODS.keys() - {"USMArray.astype"}))
def test_method_answers_too(name):
    keywords = [each for each in keywords_of(METHODS[name]) if each != "self"]
    with pytest.raises(TypeError) as caught:
        METHODS[name](usmx.zeros(3), no_such_keyword=1)
    assert str(caught.value) == (
        f"{METHODS[name].__name__}() got an unexpected keyword argument 'no_such_keyword', "
        f"it takes {', '.join(keywords)}"
    )


def test_methods_hint_at_their_form_and_at_other_names():
    a = usmx.zeros((2, 3))
    with pytest.raises(TypeError, match="it takes axis, .*: axis is PyTorch's dim$"):
        a.sum(dim=0)
    with pytest.raises(TypeError, match=r"call it as argsort\(axis=-1, kind=None, \*, stable"):
        a.argsort(0, None, True)


def test_other_type_errors_are_as_they_were():
    with pytest.raises(TypeError, match="copy must be True, False or None, found 3"):
        usmx.reshape(usmx.zeros(3), 3, copy=3)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'shape'"):
        usmx.full(fill_value=3)
    with pytest.raises(TypeError, match="precision must be"):
        usmx.print_options(precision="many").__enter__()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function_is_itself_again_after_pickling(name):

    assert pickle.loads(pickle.dumps(FUNCTIONS[name])) is FUNCTIONS[name]


def test_bound_method_works_after_pickling():
    tolist = pickle.loads(pickle.dumps(usmx.asarray([1, 2]).tolist))
    assert tolist() == [1, 2]


def without_form(signature):
    """What all Pythons write alike.

    From 3.13 on, help() writes a long one in several lines, from 3.14 on without quotes, and
    without the modules of types.
    """
    without_modules = re.sub(r"\b(?:[a-z]\w*\.)+", "", signature)
    return "".join(without_modules.split()).replace(",)", ")").replace("'", "")


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_help_shows_the_signature_and_the_text(name):
    function = FUNCTIONS[name]
    text = pydoc.plain(pydoc.render_doc(function))
    said = f"{function.__name__}{inspect.signature(function)}"
    assert without_form(said) in without_form(text)
    assert function.__doc__.splitlines()[0] in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: usmx.unstack(a, 0), r"call it as unstack\(X, /, \*, axis=0\)$"),
        (lambda a: usmx.tile(a, 2, 3), r"call it as tile\(x, repetitions, /\)$"),
        (lambda a: usmx.roll(a, 1.5), "^shift must be an integer, found 1.5$"),
        (lambda a: usmx.asarray(2**70), "found 1180591620717411303424$"),
        (lambda a: usmx.asarray(10**5000), "found an integer of 16610 bits$"),
        (lambda a: usmx.full(3, "x"), "found <U1, from an object of type str$"),
        (lambda a: usmx.asarray([[1, 2], [None, 3]]), "found None in a list$"),
        (lambda a: usmx.asarray((1, "two")), "found 'two' in a tuple$"),
        (lambda a: usmx.asarray([1, 2**70]), "found 1180591620717411303424 in a list$"),
        (lambda a: usmx.asarray(x for x in [1]), r"iterator generator: use usmx\.fromiter\("),
        (lambda a: usmx.asarray({1: 2}), r"found a dict: use list\(a\.values\(\)\)$"),
        (lambda a: usmx.asarray({1, 2}), r"found a set: use sorted\(a\)$"),
    ],
)
def test_wrong_argument_is_answered_by_what_is_right(call, message):
    with pytest.raises(TypeError, match=message):
        call(usmx.zeros(3))


def test_lists_that_are_in_each_other_many_times_are_looked_at_for_a_short_time():
    inner = [1]
    for _ in range(40):
        inner = [inner, inner]
    assert _odd_element([inner, None]) is None
    assert _odd_element([*range(2000), None]) is None
    assert _odd_element([[1, [2, (3, {})]], None]) == "{}"


def test_column_of_text_is_named():
    class Frame:
        dtypes = {"number": np.dtype("f8"), "text": np.dtype(object)}  # noqa: RUF012

        def __array__(self, dtype=None, copy=None):
            return np.array([[1.0, "x"]], dtype=object)

    with pytest.raises(TypeError, match="found object in column 'text' of a Frame$"):
        usmx.asarray(Frame())


def test_producers_are_instances_of_the_protocol():
    assert isinstance(usmx.zeros(3), usmx.SupportsUsmArrayInterface)
    assert isinstance(usmx.memory.MemoryUSMShared(8), usmx.SupportsUsmArrayInterface)
    assert not isinstance(np.zeros(3), usmx.SupportsUsmArrayInterface)
