# SPDX-License-Identifier: Apache-2.0
"""What peers.py measured as a part of docs/performance.md, between two markers, and as docs/performance.png."""

import importlib.metadata
import json
import math
import subprocess

OURS = ("C", "Python")


def cells(*words):
    """A row of a table."""
    return "| " + " | ".join(words) + " |"


def head(*words):
    """The first two rows."""
    return [cells(*words), cells(*["---"] * len(words))]


def number(ns):
    """Three digits that count."""
    return f"{ns:.3f}" if ns < 1 else f"{ns:.2f}" if ns < 10 else f"{ns:.0f}"


def times(ratio):
    """How many times as fast; a lost comparison is bold."""
    text = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
    return text if ratio >= 1 else f"**{text}**"


def plain(ratio):
    """A ratio that has a goal of its own, so below 1 is no loss."""
    return f"{ratio:.3f}" if ratio < 1 else f"{ratio:.1f}"


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


class Page:
    """Gathers the numbers, then writes them."""

    def __init__(self, docs, modules):
        self.docs = docs
        self.versions = ", ".join(f"{m.__name__} {importlib.metadata.version(m.__name__)}" for m in modules)
        self.overhead, self.table, self.images, self.lengths, self.answers = 0, [], [], [], []

    def rows(self):
        """One row for each case and rival."""
        yield from head("case", "elements", "bitfold, C", "bitfold, Python", "rival", "its ns", "C is faster", "Python is", "goal", "")
        for case in self.table:
            c, python = (case.ns[name] for name in OURS)
            for rival, ns in case.ns.items():
                if rival in OURS:
                    continue
                goal = case.goal.get(rival)
                verdict = "loses" if ns < c else "" if not goal else "reached" if ns >= goal * c else "short of the goal"
                yield cells(f"`{case.name}`", f"{case.elements:,}", number(c), number(python), rival, number(ns), times(ns / c),
                            times(ns / python), f"{goal:g}" if goal else "", verdict)

    def sets(self, axes):
        """One row for each set of axes, one column for each operation."""
        names = list(dict.fromkeys(case.name for case in self.images))
        columns = {name: [case for case in self.images if case.name == name] for name in names}
        ratios = {name: [case.ns["NumPy"] / case.ns["C"] for case in column] for name, column in columns.items()}
        yield from head("axes", *[f"`{name}`" for name in names])
        for i, some in enumerate(axes):
            yield cells(", ".join(map(str, some)), *[f"{number(columns[name][i].ns['C'])}, {times(ratios[name][i])}" for name in names])
        yield cells("geometric mean", *[times(mean(ratios[name])) for name in names])
        yield cells("least", *[times(min(ratios[name])) for name in names])

    def returned(self):
        """What each returns, one row for a library."""
        yield from head("", *[name for name, _ in self.answers])
        for library in dict.fromkeys(library for _, by in self.answers for library in by):
            yield cells(library, *[by.get(library, "") for _, by in self.answers])

    def bench(self, command):
        """The rows of `bitfold bench`; those over sets of axes in one for each operation."""
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        machine = found["machine"]
        yield f"`bitfold bench` of version {found['version']} on {machine['isa']}, {machine['processors']} processors ({machine['processor']})."
        yield from ["", *head("case", "ns", "against", "its ns", "ratio", "goal", "")]
        sets = {}
        for row in found["rows"]:
            if ", axes " in row["case"]:
                sets.setdefault(row["case"].split(", axes ")[0], []).append(row)
                continue
            verdict = "" if row["goal"] is None else "reached" if row["reached"] else "short of the goal"
            yield cells(f"`{row['case']}`", number(row["ns"]), row["against"], number(row["against_ns"]), plain(row["ratio"]),
                        "" if row["goal"] is None else f"{row['goal']:g}", verdict)
        for name, rows in sets.items():
            yield cells(f"`{name}`, all {len(rows)} sets of axes, geometric mean", number(mean([row["ns"] for row in rows])), rows[0]["against"],
                        number(mean([row["against_ns"] for row in rows])), plain(mean([row["ratio"] for row in rows])), "", "")
        yield from [f"\n{row['case']} was skipped: {row['why']}." for row in found["skipped"]]

    def draw(self):
        """The plot."""
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
        figure, axes = pyplot.subplots(figsize=(9, 5.6), dpi=110)
        for name in dict.fromkeys(name for case in self.lengths for name in case.ns):
            points = [(case.elements, case.ns[name]) for case in self.lengths if name in case.ns]
            style = {"color": "black", "linestyle": ":"} if name.startswith("read") else {"linewidth": 2.2} if "bitfold" in name else {"linestyle": "--"}
            axes.plot(*zip(*points), label=name, **style)
        axes.set(xscale="log", yscale="log", xlabel="elements", ylabel="ns an element", title="Sums, one thread")
        axes.set_xscale("log", base=2)
        axes.grid(True, which="major", alpha=0.3)
        axes.legend(fontsize=8)
        figure.tight_layout()
        figure.savefig(self.docs / "performance.png", metadata={"Software": None})

    def write(self, axes, command):
        """Puts everything between the markers; command is `bitfold bench --json`."""
        replace(self.docs / "performance.md", "bench", "\n".join(self.bench(command)))
        text = "\n".join([
            f"{self.versions}; one thread. ns are of one element, the best of many turns in one run. \"C\" is `bitfold_reduce`, called through "
            f"ctypes, which itself takes {self.overhead:.0f} ns a call; \"Python\" is the package `bitfold`. A ratio below 1 is a loss, in bold. "
            "NumPy's, PyTorch's and `ksum`'s sums are rounded on the way, the others' are the real sum rounded once.", "",
            *self.rows(), "", "![ns an element against the number of elements](performance.png)", "",
            "Over all sets of axes of {8, 56, 56, 64}, f32: ns of the C call, and how many times as fast as NumPy it is. NumPy's argmax over "
            "several axes is that of a transposed copy.", "", *self.sets(axes), "", "What they return:", "", *self.returned()])
        replace(self.docs / "performance.md", "peers", text)
        self.draw()


def replace(path, marker, text):
    """Puts text between <!-- MARKER --> and <!-- /MARKER -->."""
    before, rest = path.read_text().split(f"<!-- {marker} -->\n", 1)
    after = rest.split(f"<!-- /{marker} -->", 1)[1]
    path.write_text(f"{before}<!-- {marker} -->\n{text}\n<!-- /{marker} -->{after}")
