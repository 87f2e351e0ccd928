"""The check of the English finds each phrase, spares its neighbors, and looks at prose only."""

from pathlib import Path

import pytest

from tests import english

FOUND_AND_SPARED = {
    # what to write instead: (sentences with one finding each, sentences with none)
    "peak": (["memory at its height"], ["a tree at the height of two meters"]),
    "N, or this number of": (["use so many threads"], ["so many that one is lost"]),
    "one, or one like it": (["such a one is refused"], ["such a tensor is refused"]),
    "instead of": (["a zero in place of None"], ["add in place", "it is put in its place"]),
    "yet, or so far": (["not measured as yet"], ["as yet another case"]),
    "still": (["even so it is slow"], ["even so small a tensor"]),
    "planned, or designed": (["a text thought out before"], ["we thought about it"]),
    "reported, or given": (["a mistake is told with its line"], ["they are told apart", "nobody was told."]),
    "checked, or required": (["what is asked of a kernel"], ["what is asked of the student", "asked often"]),
    "fix": (["mend it", "it was mended"], ["amend a commit", "recommended"]),
    "paths": (["more ways than nodes"], ["two ways to do it", "make way through"]),
    "cost": (["the price of a copy"], ["a price list", "prices in euros"]),
    "log, or record": (["the protocol of a run"], ["the buffer protocol", "Python's iterator protocol"]),
    "the noun again": (["its strides are those of x", "that of the first"], ["those of you who", "that, of course"]),
    "is": (
        ["it stands at its key", "the file lies beside"],
        ["it stands for a key", "it stands out", "x lies about y"],
    ),
    "is in": (["NumPy lies in memory"], ["it lies between 0 and 1", "the cost lies in how it copies"]),
    "is not": (["a view is no copy"], ["there is no copy", "it is no longer a view", "x is no larger than y"]),
    "does not have": (["the engine has it not"], ["the engine does not have it", "it has not been built"]),
    "that exist, or nothing": (["the labs that there are."], ["it says that there are ten labs"]),
    "largest first": (["sorted, the greatest first"], ["sorted, largest first", "the latest first release"]),
    "anyone who": (["Read it; who loses it pays."], ["It is ada; who is that?", "the one who reads", "Who reads it?"]),
    "verify": (["hold them to account"], ["to account for the loss"]),
    "when there is none": (["while none is on"], ["while nonetheless"]),
    "American spelling: color, neighbor": (["its neighbours", "colour"], ["neighbors", "four", "an hour"]),
    "American spelling: optimize": (
        ["optimiser", "it was initialised"],
        ["a precise promise", "optimistic", "realism"],
    ),
    "American spelling: analyze, center, gray, catalog": (["grey", "analyse it"], ["gray", "analysis", "centers"]),
    "American spelling: labeled": (["labelled"], ["labeled", "controlled", "called"]),
    "98%": (["98 % of the digits"], ["7 % n", "98%", "7 % 3"]),
}


def found(text, name="page.md"):
    """Return what to write instead, for each finding in a text."""
    return [instead for _, _, instead in english.findings(Path(name), text)]


def test_every_pattern_has_an_example():
    assert set(FOUND_AND_SPARED) == {instead for _, instead in english.PHRASES}


@pytest.mark.parametrize("instead", FOUND_AND_SPARED)
def test_a_pattern_finds_its_examples_and_spares_their_neighbors(instead):
    examples, neighbors = FOUND_AND_SPARED[instead]
    for example in examples:
        assert found(f"Before, {example}\n") == [instead], example
    for neighbor in neighbors:
        assert found(f"Before, {neighbor}\n") == [], neighbor


@pytest.mark.parametrize("word", ["What", "Whether", "Who", "How"])
def test_a_docstring_does_not_open_with_a_question_word(word):
    text = f'"""{word} it is."""\n\nx = 1\n""" {word} x is."""\n\n\ndef f():\n    """{word} f is."""\n'
    assert [line for line, _, _ in english.findings(Path("m.py"), text)] == [1, 4, 8]
    assert found(f'"""Return what it is. {word} it is."""\n', "m.py") == []
    assert found(f'x = """{word} it is."""\n', "m.py") == []


def test_a_phrase_is_found_across_lines_and_reported_at_the_first():
    assert list(english.findings(Path("page.md"), "# A\n\nA zero in\nplace of None.\n"))[0][:2] == (3, "in place of")
    assert found("x = 1\n# A zero in\n# place of None.\n", "m.py") == ["instead of"]
    assert found('"""A zero in\n    place of None."""\n', "m.py") == ["instead of"]


@pytest.mark.parametrize(
    "text",
    [
        "```\nin place of\n```\n",
        "A code block:\n\n    in place of\n",
        "Inline `in place of`, a quoted message\n",
        'It prints "in place of" and ends.\n',
        "[a link](in-place-of/those of.md#those)\n".replace(" of.md", "-of.md"),
        "<!-- in place of -->\n",
    ],
)
def test_code_quotations_and_links_of_markdown_are_not_prose(text):
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        'x = "in place of"\n',
        'raise ValueError(f"{x} in place of y")\n',
        "in_place = of(those, of)\n",
        '"""Return it.\n\n>>> f()\n\'in place of\'\n"""\n',
        '"""Return `in place of`."""\n',
        "# the command `in place of`\n",
    ],
)
def test_code_strings_and_doctests_of_python_are_not_prose(text):
    assert found(text, "m.py") == []


def test_every_path_that_is_held_has_files():
    """That they have no findings is for `make lint` to say, which runs the command."""
    assert all(english.files([path.removeprefix(":!")]) for path in english.HELD)


def test_no_finding_is_said_and_exits_with_0(capsys, monkeypatch):
    monkeypatch.setattr(english, "files", lambda paths: [Path(__file__)])
    monkeypatch.setattr(english, "findings", lambda path, text: iter(()))
    assert english.main([]) == 0
    assert capsys.readouterr().out.startswith("english: no findings in ")


def test_a_finding_is_printed_with_its_place_and_exits_with_1(capsys, monkeypatch):
    monkeypatch.setattr(english, "files", lambda paths: [Path(__file__)])
    monkeypatch.setattr(english, "findings", lambda path, text: iter([(3, "as yet", "yet")]))
    assert english.main(["--all"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        'tests/test_english.py:3: found "as yet"; write "yet"',
        "english: 1 finding in 1 files",
    ]
