# SPDX-License-Identifier: Apache-2.0
"""Runs what the documents show: each complete C program and each console session in README.md, CONTRIBUTING.md, docs/, examples/.

A ```c block with `int main` compiles without a warning, runs, and prints the ```text block that follows it, if one does. In a
```console block each `$ ` line (going on after a final backslash) is run by bash with the command on PATH, and prints the lines
that follow; a line of three dots stands for any lines. Sessions run in the top folder, or where a comment before the block says:

    <!-- in examples/data -->
    <!-- not run: needs a chip -->

Nothing is written into the tree: a session sees links to its folder's files. pytest collects this file; BITFOLD_BUILD names the
build to use.
"""

import dataclasses
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BITFOLD_BUILD", ROOT / "build"))
FENCE = re.compile(
    r"(?:^[ ]*<!--[ ]*(?P<mark>[^\n]*?)[ ]*-->\n+)?^(?P<indent>[ ]*)```(?P<language>\w+)\n(?P<body>.*?)^[ ]*```[ ]*$",
    re.MULTILINE | re.DOTALL)
MACHINES = "avx512|avx2|sse2|neon|scalar"
SECONDS = 60
OPENMP = ["-fopenmp"] if "OpenMP_C_FLAGS:STRING=-fopenmp" in (BUILD / "CMakeCache.txt").read_text() else []
BOUNDARY = "\x1e"


@dataclasses.dataclass
class Snippet:
    """A block that can be run, and what it must print."""

    name: str
    language: str
    body: str
    mark: str
    output: str | None = None


def snippets_of(path, text):
    """The programs and sessions of a document, in sequence."""
    found, program = [], None
    for block in FENCE.finditer(text):
        body = re.sub(f"^{block['indent']}", "", block["body"], flags=re.MULTILINE)
        snippet = Snippet(f"{path}:{text.count(chr(10), 0, block.start('body'))}", block["language"], body, block["mark"] or "")
        if snippet.language in ("text", "output") and program:
            program.output = body
        program = snippet if snippet.language == "c" and re.search(r"\bint main\b", body) else None
        if program or snippet.language == "console":
            found.append(snippet)
    return found


def documents():
    """Every document whose snippets are run."""
    return [path for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md") if path.exists()] + sorted(
        path for folder in ("docs", "examples") for path in (ROOT / folder).rglob("*.md"))


def all_snippets():
    """The snippets of all documents."""
    return [snippet for path in documents() for snippet in snippets_of(path.relative_to(ROOT), path.read_text())]


def without_machine(text):
    """A text that says which machines ran, with one name for all of them; the lines of `bitfold agree` with equal bits become one."""
    text = re.sub(r'"isa": "\w+", "threads": \d+', '"isa": "MACHINE", "threads": N', text)
    text = re.sub(rf"\bon ({MACHINES})\b", "on MACHINE", text)
    text = re.sub(rf"^  (?:{MACHINES}) +([0-9a-f]{{32}})\n(?:  (?:{MACHINES}) +\1\n)*", r"  MACHINE \1\n", text, flags=re.MULTILINE)
    return re.sub(r"^  \d+ machines? here: .*$", "  N machines here", text, flags=re.MULTILINE)


def matches(expected, got):
    """Whether a text is as expected, whatever the machine, where a line of three dots stands for any lines."""
    expected, got = without_machine(expected), without_machine(got)
    parts = re.split(r"^[ ]*\.\.\.[ ]*\n", expected.rstrip() + "\n" if expected.strip() else "", flags=re.MULTILINE)
    got = got.rstrip() + "\n" if got.strip() else ""
    return re.fullmatch(r"(?:.*\n)*?".join(map(re.escape, parts)), got) is not None


def run(arguments, folder, **options):
    """Standard output and standard error of a command, together, and its exit status."""
    path = f"{BUILD}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          text=True, timeout=SECONDS, env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}, **options)
    return done.stdout, done.returncode


def run_program(snippet, folder):
    """Compiles and runs a C program."""
    cache = BUILD / "CMakeCache.txt"
    sanitized = cache.exists() and re.search(r"^BITFOLD_SANITIZE:BOOL=(1|ON)$", cache.read_text(), re.MULTILINE)
    (folder / "program.c").write_text(snippet.body)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", *(["-fsanitize=address,undefined"] if sanitized else [])]
    output, status = run([os.environ.get("CC", "cc"), *flags, f"-I{ROOT}/include", "program.c", f"{BUILD}/libbitfold.a", "-lm", *OPENMP,
                          "-o", "program"], folder)
    assert status == 0, f"{snippet.name} does not compile:\n{output}"
    output, status = run(["./program"], folder)
    assert status == 0, f"{snippet.name} ends with status {status}:\n{output}"
    if snippet.output is not None:
        assert matches(snippet.output, output), f"{snippet.name} prints\n{output}\nnot\n{snippet.output}"


def commands_of(body):
    """Pairs of a command and what it must print."""
    pairs, going_on = [], False
    for line in body.splitlines(keepends=True):
        if line.startswith("$ ") or going_on:
            pairs = pairs if going_on else [*pairs, ["", ""]]
            pairs[-1][0] += line if going_on else line[2:]
            going_on = line.rstrip("\n").endswith("\\")
        else:
            assert pairs, f"a console block begins with output: {line}"
            pairs[-1][1] += line
    return pairs


def run_session(snippet, folder):
    """Runs the commands of a block in one shell, in a folder of links to the files of the folder that it names."""
    place = re.fullmatch(r"in (\S+)", snippet.mark)
    for entry in (ROOT / (place[1] if place else "")).iterdir():
        if entry.name != "build":
            (folder / entry.name).symlink_to(entry)
    if not place:
        (folder / "build").symlink_to(BUILD)
    pairs = commands_of(snippet.body)
    script = "".join(f"{command}\nprintf '{BOUNDARY}'\n" for command, _ in pairs)
    output, _ = run(["bash", "-c", script], folder)
    outputs = output.split(BOUNDARY)
    assert len(outputs) == len(pairs) + 1, f"{snippet.name} ends early:\n{output}"
    for (command, expected), got in zip(pairs, outputs):
        assert matches(expected, got), f"{snippet.name}: {command.strip()} prints\n{got}\nnot\n{expected}"


def run_snippet(snippet, folder):
    """Runs a snippet in an empty folder, or skips it with the reason that it gives."""
    if snippet.mark.startswith("not run:"):
        pytest.skip(snippet.mark)
    (run_program if snippet.language == "c" else run_session)(snippet, folder)


@pytest.mark.parametrize("snippet", all_snippets(), ids=lambda snippet: snippet.name)
def test_snippet(snippet, tmp_path):
    run_snippet(snippet, tmp_path)


def test_the_demo_prints_what_is_expected(tmp_path):
    output, status = run([str(ROOT / "examples/demo.sh"), str(BUILD / "bitfold")], tmp_path)
    assert status == 0 and matches((ROOT / "examples/demo.expected").read_text(), output), output


def test_the_documents_show_programs_and_sessions():
    assert {snippet.language for snippet in all_snippets()} == {"c", "console"}


PLANTED = r"""
```c
#include <bitfold/bitfold.h>
#include <stdio.h>
int main(void) { puts(bitfold_version()); return STATUS; }
```
It prints:
```text
OUTPUT
```
<!-- in examples/data -->
```console
$ echo one; \
  ls digits.npy
one
...
$ false; echo two >&2
ERROR
```
"""


@pytest.mark.parametrize(("word", "wrong"), [("STATUS", "1"), ("STATUS", "x"), ("OUTPUT", "9"), ("ERROR", "three")])
def test_planted_faults_are_found(word, wrong, tmp_path):
    words = {"STATUS": "0", "OUTPUT": "...", "ERROR": "two"}
    for number, fault in enumerate([None, word]):
        text = PLANTED
        for name, right in words.items():
            text = text.replace(name, wrong if name == fault else right)
        snippets = snippets_of("planted.md", text)
        assert [snippet.language for snippet in snippets] == ["c", "console"]
        faults = 0
        for snippet in snippets:
            folder = tmp_path / f"{number}-{snippet.language}"
            folder.mkdir()
            try:
                run_snippet(snippet, folder)
            except AssertionError:
                faults += 1
        assert faults == (1 if fault else 0)
