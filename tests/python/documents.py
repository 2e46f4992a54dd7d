"""The code blocks of the documents."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\S+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"(?://|#) (\S+)\n")


@dataclass(frozen=True)
class Block:
    """A block of a language; what it says beside the language is `info`."""

    document: Path
    line: int
    language: str
    info: str
    text: str
    output: str | None = None  # of a program; None: not said

    @property
    def file_name(self):
        """What the first line names, if it names a file."""
        match = FILE_NAME.match(self.text)
        return match and match[1]

    def __str__(self):
        return f"{self.document.relative_to(ROOT)}:{self.line}"


def blocks_of(document):
    """All blocks; a block "text output" becomes the output of the program before it."""
    text = document.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        language, info, content = match.groups()
        if (language, info.strip()) == ("text", "output"):
            program = max(k for k, b in enumerate(found) if b.language in ("python", "cpp"))
            found[program] = replace(found[program], output=content)
        else:
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(document, line, language, info.strip(), content))
    return found
