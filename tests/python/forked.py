"""What happens in forked children, as text."""

import os
import select
import signal


def in_forked_child(action, timeout=60):
    """What `action` returns in a child made by os.fork, as text.

    'died N' if it did not live, 'hung' if it did not end.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, str(action()).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        ended, _, _ = select.select([pipe], [], [], timeout)
        if not ended:
            os.kill(child, signal.SIGKILL)
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if not ended:
        return "hung"
    return text if os.WIFEXITED(status) else f"died {os.WTERMSIG(status)}"


def error_of(action):
    try:
        action()
    except RuntimeError as error:
        return "forked" if "forked" in str(error) else f"other: {error}"
    return "none"
