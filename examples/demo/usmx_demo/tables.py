"""How the findings are shown."""

from usmx._text import format_table

from usmx_demo.findings import Check, HandOver, Report


def print_report(report: Report) -> None:
    """Both tables and the conclusion."""
    print("\nHand-overs")
    hand_overs = list(map(hand_over_row, report.hand_overs))
    header = ("from", "to", "how", "pointer", "bytes", "copy", "time")
    print(format_table(header, hand_overs, right=("bytes", "time")))
    print("Times with usmx_pca and Numba are those of the whole call, computation included.")
    print("\nChecks (largest error relative to the largest number)")
    checks = list(map(check_row, report.checks))
    print(format_table(("check", "error", "limit", "ok"), checks, right=("error", "limit")))
    print(f"\n{conclusion(report)}")


def hand_over_row(item: HandOver) -> tuple[str, ...]:
    """One row of the table."""
    pointer = f"{item.pointer_before:#x}"
    if item.copied:
        pointer += f" -> {item.pointer_after:#x}"
    copied = "YES" if item.copied else "no"
    nbytes = f"{item.nbytes:,}"
    return (item.source, item.target, item.how, pointer, nbytes, copied, time_text(item.seconds))


def check_row(item: Check) -> tuple[str, ...]:
    """One row of the table."""
    return (item.name, f"{item.error:.2g}", f"{item.limit:g}", "yes" if item.ok else "NO")


def conclusion(report: Report) -> str:
    """One line."""
    copies = sum(hand_over.copied for hand_over in report.hand_overs)
    wrong = sum(not check.ok for check in report.checks)
    if not copies and not wrong:
        return (
            f"All {len(report.hand_overs)} hand-overs shared their memory, "
            f"all {len(report.checks)} checks are good."
        )
    return (
        f"FAILED: {copies} of {len(report.hand_overs)} hand-overs copied, "
        f"{wrong} of {len(report.checks)} checks are off."
    )


def time_text(seconds: float) -> str:
    """In microseconds or milliseconds."""
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"
