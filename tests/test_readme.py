"""What the README shows and names is there."""

import re
from pathlib import Path

import engine
from engine import draw

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_picture_is_what_the_engine_draws():
    x = engine.arange(12).view(3, 4)
    picture = draw.storage(x, x.t()[1:3], names=("x = engine.arange(12).view(3, 4)", "x.t()[1:3]"))
    assert (ROOT / "docs/storage-and-views.svg").read_text(encoding="utf-8") == picture.svg


def test_every_make_target_that_is_named_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set()
    for page in (README, (ROOT / "autograder/README.md").read_text(encoding="utf-8")):
        named |= set(re.findall(r"`make ([a-z]+)", page)) | set(re.findall(r"^make ([a-z]+)", page, re.M))
    assert named <= targets


def test_every_file_that_is_linked_exists():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
