"""The table of lines counts what git tracks, each file in one wing, and says what is over its budget."""

import subprocess
from collections import Counter

from tests import budget


def test_every_line_is_counted_once():
    tracked = subprocess.run(
        ["git", "ls-files", "engine/*.py"], cwd=budget.ROOT, capture_output=True, text=True, check=True
    )
    files = [path for path in map(budget.ROOT.joinpath, tracked.stdout.split()) if not path.is_symlink()]
    counted = budget.lines()
    assert counted["engine"] + counted[budget.TRANSFORMS] == sum(len(path.read_bytes().splitlines()) for path in files)
    assert sum(counted[wing.name] for wing in budget.WINGS) <= counted[budget.WHOLE.name]


def test_no_wing_is_above_its_ceiling():
    counted = budget.lines()
    above = {wing.name: counted[wing.name] for wing in (*budget.WINGS, budget.WHOLE, budget.CORE_PATH)
             if counted[wing.name] > wing.ceiling}  # fmt: skip
    assert above == {}, "make something else smaller first, or lower the count"


def test_what_is_over_its_budget_says_by_how_much():
    rows = budget.table(Counter({"engine": 66_001, "tests": 7}), Counter({"engine": 66_000, "tests": 9})).splitlines()
    assert rows[1].split() == ["engine", "66,001", "+1", "66,000", "over", "by", "1"]
    assert next(row for row in rows if row.startswith("tests")).split() == ["tests", "7", "-2", "44,000"]
