# SPDX-License-Identifier: Apache-2.0
"""What bench/peers.py writes: losses are marked, goals judged, and nothing outside the markers is touched."""

import json
import sys
import types

import pytest

from bitfold_c import ROOT

sys.path.insert(0, str(ROOT / "bench"))
import peers_page  # noqa: E402

FRAME = "before\n<!-- bench -->\nstale\n<!-- /bench -->\nbetween\n<!-- peers -->\n<!-- /peers -->\nafter\n"


def case(name, goal=None, **ns):
    return types.SimpleNamespace(name=name, elements=2048, goal=goal or {}, ns=ns)


@pytest.fixture
def page(tmp_path):
    (tmp_path / "performance.md").write_text(FRAME)
    made = peers_page.Page(tmp_path, [])
    made.overhead = 90
    made.table = [case("sum:f32", C=2, Python=4, Slow=5, Fast=1), case("max:f32", {"Far": 3, "Near": 1.5}, C=1, Python=1, Far=2, Near=1.6)]
    made.images = [case("max", C=1, NumPy=8), case("max", C=2, NumPy=1)]
    made.lengths = [case("", read=1, bitfold=2), case("", read=0.5)]
    made.answers = [("one", {"A": "1"}), ("two", {"A": "2", "B": "3"})]
    return made


def test_rows(page):
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in page.rows()][2:]
    assert rows == [["`sum:f32`", "2,048", "2.00", "4.00", "Slow", "5.00", "2.50", "1.25", "", ""],
                    ["`sum:f32`", "2,048", "2.00", "4.00", "Fast", "1.00", "**0.50**", "**0.25**", "", "loses"],
                    ["`max:f32`", "2,048", "1.00", "1.00", "Far", "2.00", "2.00", "2.00", "3", "short of the goal"],
                    ["`max:f32`", "2,048", "1.00", "1.00", "Near", "1.60", "1.60", "1.60", "1.5", "reached"]]


def test_sets_of_axes(page):
    rows = list(page.sets([(0,), (1, 2)]))[2:]
    assert rows == ["| 0 | 1.00, 8.00 |", "| 1, 2 | 2.00, **0.50** |", "| geometric mean | 2.00 |", "| least | **0.50** |"]


def test_answers_stand_by_library(page):
    assert list(page.returned())[2:] == ["| A | 1 | 2 |", "| B |  | 3 |"]


def test_the_page_changes_between_the_markers_only(page, tmp_path):
    found = {"version": "1", "machine": {"isa": "avx9", "processors": 3, "processor": "P"},
             "rows": [{"case": "a", "ns": 1, "against": "read", "against_ns": 0.5, "ratio": 0.5, "goal": 0.4, "reached": True},
                      {"case": "b, axes 0", "ns": 1, "against": "read", "against_ns": 4, "ratio": 4, "goal": None, "reached": None},
                      {"case": "b, axes 1", "ns": 4, "against": "read", "against_ns": 4, "ratio": 1, "goal": None, "reached": None}],
             "skipped": [{"case": "c", "why": "of memory"}]}
    page.write([(0,), (1, 2)], [sys.executable, "-c", f"print({json.dumps(json.dumps(found))})"])
    text = (tmp_path / "performance.md").read_text()
    assert text.startswith("before\n<!-- bench -->\n`bitfold bench`") and text.endswith("<!-- /peers -->\nafter\n") and "stale" not in text
    assert "\n<!-- /bench -->\nbetween\n<!-- peers -->\n" in text
    assert "| `a` | 1.00 | read | 0.500 | 0.500 | 0.4 | reached |\n" in text
    assert "| `b`, all 2 sets of axes, geometric mean | 2.00 | read | 4.00 | 2.0 |  |  |\n" in text and "c was skipped: of memory." in text
    assert (tmp_path / "performance.png").read_bytes()[:4] == b"\x89PNG"
    again = (tmp_path / "performance.md").read_text()
    page.write([(0,), (1, 2)], [sys.executable, "-c", f"print({json.dumps(json.dumps(found))})"])
    assert (tmp_path / "performance.md").read_text() == again
