"""What the README shows and names is there.

`python tests/test_readme.py` writes its journey and its pictures anew.
"""

import importlib.util
import re
from pathlib import Path

import pytest

import engine
from engine import draw, journey
from engine.journey.table import markdown

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def journey_of_add():
    return journey.frames("x + y")


def journey_of_backward():
    return journey.frames("(x * y).backward(y)", journey.operands(requires_grad=True))


JOURNEYS = {
    ("README.md", '--markdown "x + y"', ""): journey_of_add,
    ("docs/journey-of-backward.md", '--markdown --requires-grad "(x * y).backward(y)"', "../"): journey_of_backward,
}
"""(page, arguments of the command, way from the page to the repository) -> the frames of the table on it."""


def table_on(command):
    """The place of the table that a command prints."""
    head = re.escape(f"<!-- python -m engine.journey {command} -->\n")
    return re.compile(f"({head})(.*?)(<!-- end -->\n)", re.S)


def storage_and_views():
    x = engine.arange(12).view(3, 4)
    return draw.storage(x, x.t()[1:3], names=("x = engine.arange(12).view(3, 4)", "x.t()[1:3]"))


def ladder_of_add():
    return draw.dispatch(engine.ops.aten.add.Tensor, engine.ones(2), engine.ones(2))


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
    "docs/graph-of-loss.svg": graph_of_loss,
}


@pytest.mark.parametrize("path", PICTURES)
def test_a_picture_is_what_the_engine_draws(path):
    assert path in README
    assert (ROOT / path).read_text(encoding="utf-8") == PICTURES[path]().svg


@pytest.mark.parametrize("page, command, way", JOURNEYS)
def test_a_journey_is_the_one_that_the_engine_makes(page, command, way):
    frames = JOURNEYS[page, command, way]()
    assert table_on(command).search((ROOT / page).read_text(encoding="utf-8"))[2] == markdown(frames, way)


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set()
    for page in (README, (ROOT / "autograder/README.md").read_text(encoding="utf-8")):
        named |= set(re.findall(r"`make ([a-z-]+)", page)) | set(re.findall(r"^make ([a-z-]+)", page, re.M))
    assert named <= targets


def test_every_file_that_is_linked_exists():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


if __name__ == "__main__":
    for path, make in PICTURES.items():
        (ROOT / path).write_text(make().svg, encoding="utf-8")
    for (page, command, way), frames in JOURNEYS.items():
        table = markdown(frames(), way)
        text = (ROOT / page).read_text(encoding="utf-8")
        text = table_on(command).sub(lambda found, table=table: found[1] + table + found[3], text)
        (ROOT / page).write_text(text, encoding="utf-8")
