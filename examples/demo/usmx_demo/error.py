"""The one error of the demo."""


class DemoError(Exception):
    """The demo cannot go on; the message is one line for people."""
