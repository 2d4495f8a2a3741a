# SPDX-License-Identifier: Apache-2.0
"""Runs the Python sessions of README.md, docs/, examples/ and python/README.md: a page's ```python blocks that show a `>>> ` prompt are one session,
as doctest runs it. A block after `<!-- not run: reason -->` is left out.

Sessions run in an empty folder with a link `examples` to the project's. pytest collects this file; bitfold and sf must be installed.
"""

import doctest
import os
import re

import pytest
from snippets import ROOT, documents

BLOCK = re.compile(r"(?P<mark><!-- not run: [^\n]*-->\n+)?^```python\n(?P<body>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS


def session_of(text):
    """The text with all but the sessions emptied, line for line, so that doctest counts lines as the page does."""
    kept = [""] * text.count("\n")
    for block in BLOCK.finditer(text):
        if block["mark"] or ">>> " not in block["body"]:
            continue
        first = text.count("\n", 0, block.start("body"))
        kept[first:first + block["body"].count("\n")] = block["body"].splitlines()
    return "\n".join(kept) + "\n"


def pages():
    """Every page that shows a session."""
    return [page for page in [*documents(), ROOT / "python/README.md"] if ">>> " in session_of(page.read_text())]


def run(name, text):
    """How many examples of a page were run and how many failed, and what doctest says of these."""
    test = doctest.DocTestParser().get_doctest(session_of(text), {"__name__": "__main__"}, name, name, 0)
    said = []
    done = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False).run(test, out=said.append)
    return done.attempted, done.failed, "".join(said)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.symlink(ROOT / "examples", tmp_path / "examples")
    attempted, failed, said = run(str(page.relative_to(ROOT)), page.read_text())
    assert attempted and not failed, said


def test_planted_faults_are_found():
    right = "words\n```python\n>>> x = 2\n```\nmore\n```python\n>>> x + 1\n3\n```\n<!-- not run: why -->\n```python\n>>> 1 / 0\n```\n"
    assert run("right", right)[:2] == (2, 0)
    attempted, failed, said = run("wrong", right.replace("\n3\n", "\n4\n"))
    assert (attempted, failed) == (2, 1) and "line 7" in said
