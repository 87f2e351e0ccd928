"""The README and the pages of docs/ show what the engine does now, and name only what exists.

`.venv/bin/python -m tests.test_readme` rewrites their journeys, pictures and the numbers of lines.
"""

import importlib.util
import json
import re
import subprocess
from pathlib import Path

import pytest

import engine
from autograder.grading.feedback import SAMPLE
from engine import draw, journey
from engine.journey.table import markdown
from engine.layers import core_path_table

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    path: (ROOT / path).read_text(encoding="utf-8")
    for path in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "autograder/README.md")
    + tuple(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))
}
"""Page -> its text."""
MOST_LINES = 110
"""The README is one page."""


def journey_of_add():
    return journey.frames("x + y")


def journey_of_backward():
    return journey.frames("(x * y).backward(y)", journey.operands(requires_grad=True))


GOLDEN = Path("tests/engine/golden")  # copies of generated texts
MARKDOWN = f"--markdown --committed {GOLDEN}"
JOURNEYS = {
    ("README.md", f'{MARKDOWN} "x + y"', ""): journey_of_add,
    ("docs/journey-of-backward.md", f'{MARKDOWN} --requires-grad "(x * y).backward(y)"', "../"): journey_of_backward,
}
"""(page, arguments of the command, path from the page to the repository) -> the frames of the table on it."""


def table_on(command):
    """A pattern that finds the table printed by a command."""
    head = re.escape(f"<!-- python -m engine.journey {command} -->\n")
    return re.compile(f"({head})(.*?)(<!-- end -->\n)", re.S)


def storage_and_views():
    x = engine.arange(12).view(3, 4)
    return draw.storage(x, x.t()[1:3], names=("x = engine.arange(12).view(3, 4)", "x.t()[1:3]"))


def ladder_of_add():
    return draw.dispatch(engine.ops.aten.add.Tensor, engine.ones(2), engine.ones(2))


def ladder_in_a_mode():
    x = engine.ones(2)
    with type("PassOn", (engine.utils._python_dispatch.TorchDispatchMode,), {})():  # drawn, never called
        return draw.dispatch(engine.ops.aten.add.Tensor, x, x)


def ladder_of_levels():
    pictures = []

    def loss(x):
        pictures.append(draw.dispatch(engine.ops.aten.mul.Tensor, x, x))
        return (x * x).sum()

    engine.func.grad(engine.func.functionalize(loss))(engine.ones(2, 3))
    return pictures[0]


def graph_of_loss():
    nn = engine.nn
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    loss = nn.functional.cross_entropy(model(engine.ones(8, 64)), engine.zeros(8, dtype=engine.int64))
    return draw.graph(loss, {"loss": loss, **dict(model.named_parameters())})


def accesses_of_matmul():
    spec = importlib.util.spec_from_file_location("accesses", ROOT / "examples" / "accesses.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return draw.accesses(example.trace_of(example.naive), example.trace_of(example.tiled), names=["naive", "tiled"])


PICTURES = {
    "docs/accesses-of-matmul.svg": accesses_of_matmul,
    "docs/storage-and-views.svg": storage_and_views,
    "docs/ladder-of-add.svg": ladder_of_add,
    "docs/ladder-in-a-mode.svg": ladder_in_a_mode,
    "docs/ladder-of-levels.svg": ladder_of_levels,
    "docs/graph-of-loss.svg": graph_of_loss,
}


@pytest.mark.parametrize("path", PICTURES)
def test_a_picture_is_what_the_engine_draws(path):
    assert any((ROOT / page).parent / link == ROOT / path for page in PAGES for link in links_of(page))
    assert (ROOT / path).read_text(encoding="utf-8") == PICTURES[path]().svg


@pytest.mark.parametrize("page, command, way", JOURNEYS)
def test_a_journey_is_the_one_that_the_engine_makes(page, command, way):
    frames = JOURNEYS[page, command, way]()
    assert table_on(command).search(PAGES[page])[2] == markdown(frames, way, GOLDEN)


def with_lines(text):
    """The README with the numbers of `python -m engine.layers`, to a thousand lines."""
    path, whole = re.findall(r"^the .*?(\d+) files.* ([\d,]+) lines$", core_path_table(), re.M)
    thousands = [f"{round(int(lines.replace(',', '')), -3):,}" for _, lines in (path, whole)]
    text = re.sub(r"about [\d,]+ lines in \d+ files", f"about {thousands[0]} lines in {path[0]} files", text)
    return re.sub(r"about [\d,]+ lines of Python", f"about {thousands[1]} lines of Python", text)


def test_the_readme_counts_the_lines_of_the_engine():
    text = PAGES["README.md"]
    assert len(re.findall(r"about [\d,]+ lines (?:in \d+ files|of Python)", text)) == 2
    assert text == with_lines(text), "expected other numbers: .venv/bin/python -m tests.test_readme writes them"


def hours_of(lab):
    """The hours that the notebook of a lab states."""
    cells = json.loads((ROOT / "course" / lab / "lab.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return float(re.search(r"\*\*Time\*\*: about ([\d.]+) hours", text)[1])


def test_the_readme_links_to_each_lab_and_states_its_hours():
    rows = re.findall(r"^\| \d+ \| \[.*?\]\(course/(.*?)/lab\.ipynb\) .* ([\d.]+) \|$", PAGES["README.md"], re.M)
    labs = sorted(path.parent.name for path in ROOT.glob("course/*/lab.ipynb"))
    assert {lab: float(hours) for lab, hours in rows} == {lab: hours_of(lab) for lab in labs}
    together = sum(map(hours_of, labs[1:]))
    assert f"about {together:.0f} hours (estimated" in " ".join(PAGES["README.md"].split())


def test_the_readme_names_the_page_that_its_own_command_writes():
    assert f"`{SAMPLE}/autograder/report.html`" in PAGES["README.md"]


def test_the_list_of_commands_is_grouped_by_reader_and_fits_a_terminal():
    printed = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    groups = {lines[0]: lines[1:] for block in printed.split("\n\n")[1:] if (lines := block.splitlines())}
    assert list(groups) == ["Students", "Instructors", "Contributors", "With PyTorch, or on a GPU"]
    assert groups["Students"][0].split()[:2] == ["make", "lab"]
    assert [line for line in printed.splitlines() if len(line) > 100] == []
    listed = {line.split()[1] for lines in groups.values() for line in lines}
    phony = set(" ".join(re.findall(r"^\.PHONY: ([a-z -]+)$", (ROOT / "Makefile").read_text(), re.M)).split())
    assert phony - listed == {"help", "isolation", "bytecode", "cuda"}


def links_of(page):
    """The files that a page links to, without the anchors."""
    return [link.partition("#")[0] for link in re.findall(r"\]\(([^)#:\s][^):\s]*)\)", PAGES[page])]


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set()
    for text in PAGES.values():
        named |= set(re.findall(r"`make ([a-z-]+)", text)) | set(re.findall(r"^make ([a-z-]+)", text, re.M))
    assert {"grade", "test"} <= named <= targets


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_links_to_exists(page):
    folder = (ROOT / page).parent
    assert [link for link in links_of(page) if not (folder / link).exists()] == []


def test_the_index_lists_every_page():
    listed = set(links_of("docs/README.md"))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"} <= listed


def test_the_readme_is_one_page_and_links_to_the_index():
    assert len(PAGES["README.md"].splitlines()) <= MOST_LINES
    assert "docs/README.md" in links_of("README.md")


if __name__ == "__main__":
    for path, make in PICTURES.items():
        (ROOT / path).write_text(make().svg, encoding="utf-8")
    for (page, command, way), frames in JOURNEYS.items():
        table = markdown(frames(), way, GOLDEN)
        text = (ROOT / page).read_text(encoding="utf-8")
        text = table_on(command).sub(lambda found, table=table: found[1] + table + found[3], text)
        (ROOT / page).write_text(text, encoding="utf-8")
    readme = ROOT / "README.md"
    readme.write_text(with_lines(readme.read_text(encoding="utf-8")), encoding="utf-8")
