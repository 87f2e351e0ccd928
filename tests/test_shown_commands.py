"""The commands on the pages work as written in a fresh checkout: its .venv runs them, and what they name exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "autograder/README.md",
    *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))),
)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
MODULE_OF = {  # target -> the module that its recipe runs
    target: module
    for target, recipe in re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", MAKEFILE, re.M)
    for module in re.findall(r"\$\(RUN\) ([\w.]+)", recipe)[:1]
}
FENCE = re.compile(r"^```.*?\n(.*?)^```", re.M | re.S)
INDENTED = re.compile(r"^    (.*)$", re.M)
INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
ASSIGNED = re.compile(r"^(?:[A-Z_]+=\S+ )+")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
NOT_OURS = {"pip", "pytest", "ruff", "timeit"}
PASSED_ON = {"--tls-ca-file"}  # to dask's worker


def commands(page):
    """The lines of code blocks and the inline code of a page, with single spaces and without variables before them."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = [line for block in FENCE.findall(text) for line in block.splitlines()] + INDENTED.findall(text)
    inline = INLINE.findall(INDENTED.sub("", FENCE.sub("", text)))
    return [ASSIGNED.sub("", " ".join(code.split("#")[0].split())) for code in blocks + inline]


def files_of(module):
    """The files of a module of this repository, or of a package that can be run; empty if it does not exist."""
    paths = [ROOT / folder / module.replace(".", "/") for folder in (".", "tests")]
    return [
        file
        for path in paths
        for file in ([path.with_suffix(".py")] if path.with_suffix(".py").is_file() else sorted(path.glob("*.py")))
        if file.parent != path or (path / "__main__.py").is_file()
    ]


def run_by(command):
    """(files of the module or script that a command runs, its arguments); None if it is none of ours."""
    words = command.split()
    if words[:2] == [".venv/bin/python", "-m"]:
        return None if words[2] in NOT_OURS else (files_of(words[2]), " ".join(words[3:]))
    if words[:1] == [".venv/bin/python"]:
        return [path for path in [ROOT / words[1]] if path.is_file()], " ".join(words[2:])
    if words[:1] == ["sh"]:
        return [path for path in [ROOT / words[1]] if path.is_file()], " ".join(words[2:])
    if words[:1] == ["make"] and (target := next((word for word in words[1:] if word in MODULE_OF), None)):
        return None if MODULE_OF[target] in NOT_OURS else (files_of(MODULE_OF[target]), command)
    return None


@pytest.mark.parametrize("page", PAGES)
def test_a_program_of_the_environment_is_named_by_its_path(page):
    """A shell outside .venv has no `python` with the packages; `python3 -m venv .venv` makes one that has."""
    bare = re.compile(r"(?:python3?|pip3?|pytest|jupyter|dask|codespell|ruff|mypy) (?!-m venv \.venv)\S")
    assert [command for command in commands(page) if bare.match(command)] == []


@pytest.mark.parametrize("page", PAGES)
def test_what_a_command_runs_exists_and_knows_its_options(page):
    for command in commands(page):
        if (found := run_by(command)) is None:
            continue
        files, arguments = found
        assert files, f"{page}: nothing to run in `{command}`"
        known = {option for file in files for option in OPTION.findall(file.read_text(encoding="utf-8"))}
        assert set(OPTION.findall(arguments)) <= known | PASSED_ON, f"{page}: `{command}`"


def test_commands_are_found_in_blocks_and_in_lines():
    found = [command for page in PAGES for command in commands(page)]
    for command in ("make lab LAB=00", "make grade", 'make grade ARGS="--isolation bwrap"'):
        assert command in found
    ran = [each for each in map(run_by, found) if each]
    assert len(ran) > 30 and any("--" in arguments for _, arguments in ran)
