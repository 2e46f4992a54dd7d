"""What --help shows: every command's ends with an example, which a test runs."""

import argparse
import textwrap


def end_help_with(parser: argparse.ArgumentParser, *example: str) -> None:
    """Let --help end with these lines for a shell, and the options name their parser."""
    texts = [textwrap.fill(text, 80) for text in (parser.epilog,) if text]
    parser.description = textwrap.fill(parser.description or "", 80)
    parser.epilog = "\n\n".join([*texts, "\n  ".join(("example:", *example))])
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(parser=parser)
