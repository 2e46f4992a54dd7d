"""usmx._terminal: rich's tables and progress on a terminal, plain text elsewhere."""

import os
import pty
import subprocess
import sys

TABLE = "from usmx._terminal import print_table; print_table(('a', 'b'), [('1', '[x]')])"
PROGRESS = (
    "from usmx._terminal import tracked\n"
    "for item in tracked([('first', 1), ('second', 2)]): print(item)"
)
WITHOUT_RICH = "import sys; sys.modules['rich'] = sys.modules['rich.console'] = None\n"


def on_terminal(code):
    """What a terminal gets of stdout and stderr."""
    reader, writer = pty.openpty()
    command = [sys.executable, "-P", "-c", code]
    variables = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(command, stdout=writer, stderr=writer, env=variables) as process:
        os.close(writer)
        text = b""
        while chunk := read(reader):
            text += chunk
    os.close(reader)
    assert process.returncode == 0, text
    return text.decode()


def read(reader):
    try:
        return os.read(reader, 1 << 16)
    except OSError:  # the other end is closed
        return b""


def elsewhere(code):
    return subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )


def test_table_on_a_terminal_is_richs():
    text = on_terminal(TABLE)
    assert "─" in text
    assert "[x]" in text  # no markup


def test_table_elsewhere_is_plain_text():
    assert elsewhere(TABLE).stdout == "a  b\n-  ---\n1  [x]\n"


def test_table_without_rich_is_plain_text_on_a_terminal_too():
    assert on_terminal(WITHOUT_RICH + TABLE).replace("\r", "") == "a  b\n-  ---\n1  [x]\n"


RECORDS = (
    "from usmx._terminal import print_records\n"
    "print_records(('', 'name', 'size'), [('*', 'one', '1' * LENGTH), ('', 'two', '2')])"
)
BLOCKS = f"* one\n    size  {'1' * 80}\n\ntwo\n    size  2\n"


def test_rows_that_are_too_wide_for_the_terminal_become_blocks():
    wide = RECORDS.replace("LENGTH", "80")
    assert on_terminal(wide).replace("\r", "") == BLOCKS
    assert on_terminal(WITHOUT_RICH + wide).replace("\r", "") == BLOCKS
    assert elsewhere(wide).stdout.splitlines()[2].startswith("*  one   111")
    assert "─" in on_terminal(RECORDS.replace("LENGTH", "8"))


STYLED = (
    "from usmx._terminal import print_styled; print_styled('ok  [x] all is well', 'ok', 'green')"
)


def test_beginning_is_coloured_on_a_terminal_alone():
    assert on_terminal(STYLED).replace("\r", "") == "\x1b[32mok\x1b[0m  [x] all is well\n"
    assert elsewhere(STYLED).stdout == "ok  [x] all is well\n"


def test_progress_on_a_terminal_counts():
    text = on_terminal(PROGRESS)
    assert "2/2" in text or "1/2" in text
    assert "second" in text


def test_progress_that_needs_no_text_is_silent_elsewhere():
    done = elsewhere(PROGRESS.replace("2)])", "2)], plain=False)"))
    assert (done.stdout, done.stderr) == ("1\n2\n", "")


def test_progress_elsewhere_is_a_line_for_each_item():
    done = elsewhere(PROGRESS)
    assert done.stdout == "1\n2\n"
    assert done.stderr == "  1 first\n  2 second\n"
