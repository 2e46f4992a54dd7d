"""The functions of the package as it hands them out."""

import inspect
import pickle

import pytest
import usmx

FUNCTIONS = {
    name: getattr(usmx, name)
    for name in usmx.__all__
    if inspect.isfunction(getattr(usmx, name)) and hasattr(getattr(usmx, name), "__code__")
}
TAKING_ANY = {name for name, f in FUNCTIONS.items() if f.__code__.co_flags & inspect.CO_VARKEYWORDS}


def test_most_functions_are_among_these():
    assert len(FUNCTIONS) > 50
    assert {"print_options"} >= TAKING_ANY


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - TAKING_ANY))
def test_unknown_keyword_is_answered_by_the_known_ones(name):
    keywords = [
        parameter.name
        for parameter in inspect.signature(FUNCTIONS[name]).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    with pytest.raises(TypeError) as caught:
        FUNCTIONS[name](no_such_keyword=1)
    assert str(caught.value) == (
        f"{FUNCTIONS[name].__name__}() got an unexpected keyword argument 'no_such_keyword', "
        f"it takes {', '.join(keywords)}"
    )


def test_methods_answer_too():
    array = usmx.zeros(3)
    for call, known in (
        (array.astype, "order, casting, copy, device"),
        (array.to_device, "stream"),
    ):
        with pytest.raises(TypeError, match=f"'no_such_keyword', it takes .*{known}$"):
            call("f4", no_such_keyword=1)


def test_other_type_errors_are_as_they_were():
    with pytest.raises(TypeError, match="copy must be True, False or None, found 3"):
        usmx.reshape(usmx.zeros(3), 3, copy=3)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'shape'"):
        usmx.full(fill_value=3)
    with pytest.raises(TypeError, match="precision must be"):
        usmx.print_options(precision="many").__enter__()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_itself_again_after_pickling(name):
    assert pickle.loads(pickle.dumps(FUNCTIONS[name])) is FUNCTIONS[name]
