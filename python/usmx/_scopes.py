"""Choices that hold within a ``with`` block, for the running thread or asynchronous task."""

from contextlib import contextmanager

from usmx._core import _note_scopes, _scopes


@contextmanager
def block_of(scope, given):
    """A block within which `scope` holds; ``as`` gives `given`."""
    token = _scopes.set((*_scopes.get(()), scope))
    _note_scopes()
    try:
        yield given
    finally:
        take_away(_scopes, token, lambda each: each is scope, scope.end)
        _note_scopes()


def take_away(variable, token, is_own, end):
    """Take a block's own level out of the tuple in `variable`, which `token` is of.

    Generators may begin blocks in one order and end them in another, in another thread or task
    even. So no block restores what it found. `end` is called in another context than that of the
    block's begin, which cannot be changed from here.
    """
    others = tuple(each for each in variable.get(()) if not is_own(each))
    try:
        variable.reset(token)
    except ValueError:
        end()
    variable.set(others)
