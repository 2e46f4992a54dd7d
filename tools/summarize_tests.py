"""Add up JUnit reports: summarize_tests.py STAGE STATUS [STAGE STATUS ...].

Prints a line for each stage, why tests were skipped, and, last, the plain totals. STAGE is the path
of its report without ".xml", or of a folder of reports and of more such folders, and STATUS the
stage's exit status; one that failed without a failed test counts as one failure.
Exits with 1 if anything failed or nothing ran, and with 77, as skipped, if tests were skipped and
none passed.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

SKIPPED = 77  # what CTest and others take for it, too


def outcome(test):
    if test.find("failure") is not None or test.find("error") is not None:
        return "failed"
    return "passed" if test.find("skipped") is None else "skipped"


def reason(test):
    """Why a test was skipped, as pytest, GoogleTest, or CTest by GoogleTest's output say it."""
    skipped = test.find("skipped")
    message = skipped.get("message", "")
    whole_file = re.search(r"'Skipped: (.+)'\)$", skipped.text or "")
    if whole_file:  # pytest's message is "collection skipped"
        return whole_file[1]
    printed = re.search(r": Skipped\n(.+)", test.findtext("system-out") or "")
    return printed[1] if printed else message.splitlines()[-1] if message else "no reason is given"


def tests_of(stage):
    for report in [stage.with_suffix(".xml"), *stage.rglob("*.xml")]:
        if report.is_file():
            yield from ElementTree.parse(report).iter("testcase")


def count(tests, status):
    counts = Counter(map(outcome, tests))
    remark = "" if counts else "  ran no test"
    if status and not counts["failed"]:
        counts["failed"] = 1
        remark += f"  ended with exit status {status}"
    return counts, remark


def main(arguments):
    total = Counter()
    reasons = Counter()
    width = max(12, *(len(Path(stage).name) for stage in arguments[::2]))
    print("\nSummary")
    for stage, status in zip(arguments[::2], arguments[1::2], strict=True):
        tests = list(tests_of(Path(stage)))
        counts, remark = count(tests, int(status))
        reasons.update(reason(test) for test in tests if outcome(test) == "skipped")
        total += counts
        numbers = "  ".join(f"{counts[key]:5} {key}" for key in ("passed", "failed", "skipped"))
        print(f"  {Path(stage).name:{width}} {numbers}{remark}")
    if reasons:
        print("Skipped")
        for why, skipped in reasons.most_common():
            print(f"  {skipped:5} {why}")
    print(f"{total['passed']} passed, {total['failed']} failed")
    if total["failed"]:
        return 1
    return 0 if total["passed"] else SKIPPED if total["skipped"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
