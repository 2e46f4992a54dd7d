"""Add up JUnit reports: summarize_tests.py REPORT STATUS [REPORT STATUS ...].

Prints a line for each stage and, last, the plain totals. STATUS is the exit status of the stage
that wrote REPORT; a stage that failed without a failed test counts as one failure.
Exits non-zero if anything failed or nothing passed.
"""

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree


def outcome(test):
    if test.find("failure") is not None or test.find("error") is not None:
        return "failed"
    return "passed" if test.find("skipped") is None else "skipped"


def count(report, status):
    counts = Counter()
    if report.is_file():
        counts.update(outcome(test) for test in ElementTree.parse(report).iter("testcase"))
    remark = "" if counts else "  ran no test"
    if status and not counts["failed"]:
        counts["failed"] = 1
        remark += f"  ended with exit status {status}"
    return counts, remark


def main(arguments):
    total = Counter()
    print("\nSummary")
    for report, status in zip(arguments[::2], arguments[1::2], strict=True):
        counts, remark = count(Path(report), int(status))
        total += counts
        numbers = "  ".join(f"{counts[key]:5} {key}" for key in ("passed", "failed", "skipped"))
        print(f"  {Path(report).stem:12}{numbers}{remark}")
    print(f"{total['passed']} passed, {total['failed']} failed")
    return int(total["failed"] > 0 or total["passed"] == 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
