# SPDX-License-Identifier: Apache-2.0
"""Counts the cases in the JUnit reports of ctest and pytest: prints each skip's reason, each failure's name, and one closing line.

usage: summarise.py REPORT STATUS [REPORT STATUS]...

STATUS is the exit status of the runner that wrote the report. A cmocka program is one test to ctest; here each of its cases
counts. A report that is missing, empty, or better than its runner's status counts as one failure more, so that a runner that broke
down cannot pass. So does a skip without a reason.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

CMOCKA_LINE = re.compile(r"^\[ +(OK|FAILED|SKIPPED) +\] (?!\d+ test)(.+)$", re.MULTILINE)


def cases_of_cmocka(name, output, failed):
    """Yields (name, outcome, reason) for each case that a cmocka program printed."""
    outcomes = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}
    # A failing case is listed again after the last one, so the last word on each name counts.
    found = {case: outcomes[word] for word, case in CMOCKA_LINE.findall(output)}
    reasons = dict(re.findall(r"^skip (.+?): (.*)$", output, re.MULTILINE))
    for case, outcome in found.items():
        yield f"{name}/{case}", outcome, reasons.get(case, "")
    if failed and "failed" not in found.values():
        yield name, "failed", "the program itself failed"


def cases_of(report):
    """Yields (name, outcome, reason) for each case in a report."""
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = "::".join(dict.fromkeys(word for word in (case.get("classname"), case.get("name")) if word))
        output = case.findtext("system-out") or ""
        failed = case.find("failure") is not None or case.find("error") is not None
        skipped = case.find("skipped")
        if CMOCKA_LINE.search(output):
            yield from cases_of_cmocka(case.get("name"), output, failed)
        elif failed:
            yield name, "failed", ""
        elif skipped is not None or case.get("status") in ("notrun", "disabled"):
            lines = output.strip().splitlines()
            message = skipped.get("message") if skipped is not None else "disabled in this build"
            yield name, "skipped", lines[-1] if lines else message
        else:
            yield name, "passed", ""


def outcomes_of(report, status):
    """The cases of a report, and what is wrong with the run as a whole."""
    cases = list(cases_of(report)) if pathlib.Path(report).exists() else []
    if not cases:
        cases.append((report, "failed", "no test ran"))
    elif status and not any(outcome == "failed" for _, outcome, _ in cases):
        cases.append((report, "failed", f"its runner ended with exit status {status}"))
    for name, outcome, reason in cases:
        yield (name, "failed", "skipped without a reason") if outcome == "skipped" and not reason else (name, outcome, reason)


def main(arguments):
    """Prints the summary; the exit status is 0 if something passed and nothing failed."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for report, status in zip(arguments[::2], arguments[1::2]):
        for name, outcome, reason in outcomes_of(report, int(status)):
            counts[outcome] += 1
            if outcome != "passed":
                print(f"{outcome}: {name}" + (f": {reason}" if reason else ""))
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
