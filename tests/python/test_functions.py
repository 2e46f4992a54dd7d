"""The functions of the package as it hands them out."""

import inspect
import pickle
import pydoc

import pytest
import usmx
import usmx.testing

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
TAKING_ANY = {"usmx.print_options", "usmx.savez"}
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


def test_method_answers_too():
    with pytest.raises(TypeError, match="'no_such_keyword', it takes .*stream$"):
        usmx.zeros(3).to_device("cpu", no_such_keyword=1)


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


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_help_shows_the_signature_and_the_text(name):
    function = FUNCTIONS[name]
    text = pydoc.plain(pydoc.render_doc(function))
    assert f"{function.__name__}{inspect.signature(function)}" in text
    assert function.__doc__.splitlines()[0] in text
