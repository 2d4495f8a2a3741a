# SPDX-License-Identifier: Apache-2.0
"""The dependency law and the laws of files (CONTRIBUTING.md), as tests: who includes what, what the objects need, how files look.

Run it alone with `python3 tools/check_layers.py`, or let pytest collect it. BITFOLD_BUILD names the build whose libraries are
looked into (default build/). The last tests plant one breach of each law in a copy and expect it to be found.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BITFOLD_BUILD", ROOT / "build"))

OUTER = ("cli", "compat", "python", "mpi", "examples")
C_NAMES = ("*.c", "*.h", "*.def")
CORE_HEADERS = {"stddef.h", "stdint.h", "string.h", "float.h"}
ISA_HEADERS = {"immintrin.h", "emmintrin.h", "xmmintrin.h", "arm_neon.h", "arm_mve.h", "arm_sve.h", "arm_acle.h", "riscv_vector.h"}
ISA_MACRO = re.compile(
    r"\b(__(AVX|SSE|F16C|FMA|BMI)\w*|__ARM_\w+|__(aarch64|arm|x86_64|i[3-6]86|s390x?|mips|powerpc|riscv)\w*"
    r"|_M_(X64|IX86|ARM)\w*)\b")
# A shared body is named by #define SELF "file.c" and included as SELF: the definition counts as the include.
INCLUDE = re.compile(r'^\s*#\s*(?:include|define\s+SELF)\s+(?:<([^>]+)>|"([^"]+)"|(?!SELF\b)(\S+))', re.MULTILINE)
CONDITION = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*$", re.MULTILINE)
FREE_NAMES = {"memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_"}
# The one file that knows of threads may ask OpenMP's run-time, and look out for forks.
THREADS_FILE, THREADS_HEADERS = "threads.c", {"omp.h", "pthread.h"}
THREADS_NAMES = re.compile(r"^(GOMP_\w+|__kmpc_\w+|omp_\w+|pthread_atfork)$")
MUTABLE_SECTION = re.compile(r"^(\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*)")
LINES_MAX = 299
VAGUE_NAMES = {"util", "utils", "common", "misc", "helper", "helpers"}


def files(root, folder, patterns=C_NAMES):
    """All files under a folder whose names match, sorted."""
    return sorted(path for pattern in patterns for path in (root / folder).rglob(pattern))


def includes(path):
    """Yields (angled, quoted, computed) for each include line; two of the three are empty."""
    return INCLUDE.findall(path.read_text())


def outer_breaches(root):
    """Files outside src/ that include one of its headers, or reach into another folder."""
    core = {path.name for path in files(root, "src", ("*.h", "*.def"))}
    for folder in OUTER:
        for path in files(root, folder):
            for angled, quoted, computed in includes(path):
                own = quoted and (path.parent / quoted).resolve().is_relative_to((root / folder).resolve())
                if computed or (quoted and not own) or pathlib.PurePath(angled).name in core:
                    yield f"{path.relative_to(root)} includes {angled or quoted or computed}"


def core_breaches(root):
    """Files in src/ that include more than their own kind, the public header and the four freestanding headers."""
    src, public = (root / "src").resolve(), (root / "include/bitfold/bitfold.h").resolve()
    for path in files(root, "src"):
        allowed = CORE_HEADERS | (ISA_HEADERS if "isa" in path.relative_to(root).parts else set())
        allowed |= THREADS_HEADERS if path.name == THREADS_FILE else set()
        for angled, quoted, computed in includes(path):
            target = (path.parent / quoted).resolve()
            own = quoted and (target.is_relative_to(src) or target == public)
            if computed or (angled and angled not in allowed) or (quoted and not own):
                yield f"{path.relative_to(root)} includes {angled or quoted or computed}"


def isa_breaches(root):
    """Conditions on an instruction set outside src/isa/ and isas.def."""
    for path in files(root, "src"):
        if "isa" in path.relative_to(root / "src").parts[:-1] or path.name == "isas.def":
            continue
        for line in CONDITION.findall(path.read_text()):
            if ISA_MACRO.search(line):
                yield f"{path.relative_to(root)}: {line.strip()}"


def file_breaches(root):
    """Files that are too long, lack their licence line (list files need none), or have a name that says nothing or is taken."""
    seen = {}
    for path in files(root, "src"):
        if seen.setdefault(path.name, path) != path:
            yield f"{path.relative_to(root)} has the name of {seen[path.name].relative_to(root)}"
        if path.stem in VAGUE_NAMES:
            yield f"{path.relative_to(root)} has a name that says nothing"
    for folder in ("src", "include", *OUTER, "tests", "bench", "tools", "cmake"):
        for path in files(root, folder, (*C_NAMES, "*.py", "*.sh", "*.cmake")):
            lines = path.read_text().splitlines()
            if path.suffix != ".def" and not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:2]):
                yield f"{path.relative_to(root)} does not open with its SPDX line"
            if len(lines) > LINES_MAX and path.suffix != ".py" and path.name != "bitfold.h":
                yield f"{path.relative_to(root)} has {len(lines)} lines"


def run(*command):
    """Standard output of a command that must succeed."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def object_breaches(library):
    """Objects of a static library that hold mutable data or need a symbol beyond memcpy, memset, memmove and the compiler's own."""
    libgcc = run(os.environ.get("CC", "cc"), "-print-libgcc-file-name").strip()
    names, member = [], ""
    for line in run("nm", "--format=posix", "--quiet", str(library)).splitlines():
        if line.endswith(":"):
            member = line
        elif not (f"[{THREADS_FILE}." in member and THREADS_NAMES.match(line.split()[0])):
            names.append(line.split())
    defined = {name for name, kind, *_ in names if kind not in "Uw"}
    compiler = {line.split()[0] for line in run("nm", "--format=posix", "--quiet", "--defined-only", libgcc).splitlines() if line}
    for name in sorted({name for name, kind, *_ in names if kind in "Uw"} - defined - FREE_NAMES - compiler):
        yield f"the core needs {name}"
    for line in run("objdump", "-t", str(library)).splitlines():
        row = re.match(r"^[0-9a-f]+ (.{7}) (\S+)\s+[0-9a-f]+ (?:\.hidden )?(\S+)$", line)
        if row and "d" not in row[1] and MUTABLE_SECTION.match(row[2]):
            yield f"the core holds mutable data: {row[3]} in {row[2]}"


def export_breaches(root, library):
    """Differences between what a shared library exports and what the public header declares."""
    text = re.sub(r"/\*.*?\*/", "", (root / "include/bitfold/bitfold.h").read_text(), flags=re.DOTALL)
    declared = set(re.findall(r"\b(bitfold_\w+)\s*\((?!\*)", text))
    exported = {line.split()[0] for line in run("nm", "-D", "--format=posix", "--defined-only", str(library)).splitlines()}
    yield from (f"declared but not exported: {name}" for name in sorted(declared - exported))
    yield from (f"exported but not declared: {name}" for name in sorted(exported - declared))


def test_outer_folders_include_only_the_public_header():
    assert not list(outer_breaches(ROOT))


def test_the_core_includes_only_itself_and_four_freestanding_headers():
    assert files(ROOT, "src") and not list(core_breaches(ROOT))


def test_conditions_on_an_instruction_set_stand_in_isa():
    assert not list(isa_breaches(ROOT))


def test_files_are_short_and_licensed_and_named():
    assert not list(file_breaches(ROOT))


def test_the_core_has_no_state_and_needs_no_libc():
    assert not list(object_breaches(BUILD / "libbitfold.a"))


def test_the_library_exports_its_header():
    assert not list(export_breaches(ROOT, BUILD / "libbitfold.so"))


def plant(root, path, text, licence="/* SPDX-License-Identifier: Apache-2.0 */\n"):
    """Writes one file of a tree that breaks a law."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(licence + text)


def test_planted_include_breaches_are_found(tmp_path):
    plant(tmp_path, "src/kernel.h", "")
    plant(tmp_path, "src/order/lanes.c", '#include <stdlib.h>\n#include "../kernel.h"\n#include <immintrin.h>\n')
    plant(tmp_path, "src/isa/avx2.c", "#include <immintrin.h>\n#ifdef __AVX2__\n#endif\n")
    plant(tmp_path, "src/format/f16.h", "#if defined(__ARM_NEON)\n#endif\n")
    plant(tmp_path, "cli/main.c", '#include "../src/kernel.h"\n#include <bitfold/bitfold.h>\n')
    plant(tmp_path, "mpi/bitfold_mpi.c", "#include <kernel.h>\n")
    assert list(core_breaches(tmp_path)) == ["src/order/lanes.c includes stdlib.h", "src/order/lanes.c includes immintrin.h"]
    assert list(outer_breaches(tmp_path)) == ["cli/main.c includes ../src/kernel.h", "mpi/bitfold_mpi.c includes kernel.h"]
    assert list(isa_breaches(tmp_path)) == ["src/format/f16.h: #if defined(__ARM_NEON)"]


def test_planted_file_breaches_are_found(tmp_path):
    plant(tmp_path, "src/a/long.c", "\n" * 299)
    plant(tmp_path, "src/a/misc.c", "")
    plant(tmp_path, "src/b/misc.c", "", licence="")
    assert len(list(file_breaches(tmp_path))) == 5


def test_planted_object_breaches_are_found(tmp_path):
    source, library = tmp_path / "state.c", tmp_path / "libstate.a"
    source.write_text("int rand(void); static int calls; int turns = 1; int bf_next(void) { return turns + rand() + calls++; }")
    run("cc", "-c", str(source), "-o", str(tmp_path / "state.o"))
    run("ar", "rc", str(library), str(tmp_path / "state.o"))
    assert sorted(list(object_breaches(library))) == [
        "the core holds mutable data: calls in .bss", "the core holds mutable data: turns in .data", "the core needs rand"]
    run("cc", "-shared", "-fPIC", str(source), "-o", str(tmp_path / "libstate.so"))
    assert "exported but not declared: bf_next" in list(export_breaches(ROOT, tmp_path / "libstate.so"))


def main():
    """Prints every breach; the exit status is 1 if there is one."""
    breaches = [*outer_breaches(ROOT), *core_breaches(ROOT), *isa_breaches(ROOT), *file_breaches(ROOT)]
    if (BUILD / "libbitfold.a").exists():
        breaches += [*object_breaches(BUILD / "libbitfold.a"), *export_breaches(ROOT, BUILD / "libbitfold.so")]
    print("\n".join(breaches) if breaches else "the laws hold")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
