"""The text of an answer is one rule: parts of a split cell are one text, copies replace each other."""

import json

import pytest

from autograder.author import lab_text
from autograder.examine.answer_text import (
    DEFINES,
    answer_id,
    cells_of_answers,
    defined_by,
    is_unwritten,
    joined,
    parts_of,
)

F = "def f(x):\n    return g(x)"
G = "def g(x):\n    return x + 1"
NEWER = "def f(x):\n    return x + 2"
STUB = 'def f(x):\n    "Is f."\n    raise NotImplementedError("f")'
SPLITS = {
    "one cell": (["x = 1", ], "x = 1"),
    "between lines": (["def f(x):", "    return x"], "def f(x):\n    return x"),
    "within a line": (["def f(x):\n    return x", " + 1"], "def f(x):\n    return x + 1"),
    "within a docstring": (['def f(x):\n    """Is f,', '    of x."""\n    return x'],
                           'def f(x):\n    """Is f,\n    of x."""\n    return x'),
    "within a list": (["TABLE = [", "1,\n2,", "]", "def f(x):\n    return TABLE"],
                      "TABLE = [\n1,\n2,\n]\ndef f(x):\n    return TABLE"),
    "into three": (["def f(x):", "    y = x", "    return y"], "def f(x):\n    y = x\n    return y"),
    "methods of a class": (["class f:\n    def a(self):\n        return 1", "    def b(self):\n        return 2"],
                           "class f:\n    def a(self):\n        return 1\n    def b(self):\n        return 2"),
    "helper first": ([G, F], f"{G}\n{F}"),
    "helper last": ([F, G], f"{F}\n{G}"),
    "import first": (["import math", "def f(x):\n    return math.pi"], "import math\ndef f(x):\n    return math.pi"),
    "a trial call": ([F, "print(f(notebook_name))"], F),
    "a trial with names of its own": ([F, "seen = f(a)\nfor one in seen:\n    print(one)"], F),
    "a trial with magic": ([F, "%timeit f(2)", "f?"], F),
    "a trial first": (["f(1)", F], F),
    "an empty rest": ([F, "", "# try it"], F),
    "a constant that f reads": (["def f(x):\n    return K", "K = 2"], "def f(x):\n    return K\nK = 2"),
    "what fills a table": (["T = {}", "def f(x):\n    return T[x]", "T[1] = 2"],
                           "T = {}\ndef f(x):\n    return T[x]\nT[1] = 2"),
}  # fmt: skip
COPIES = {
    "the last counts": ([F, NEWER], NEWER),
    "a stub does not": ([NEWER, STUB], NEWER),
    "a stub first": ([STUB, NEWER], NEWER),
    "only stubs": ([STUB, STUB], ""),
    "an older one that fails": (["import numpy\ndef f(x): return", "def f(x:", NEWER], NEWER),
    "a helper that the older one had": ([f"{G}\n\ndef f(x):\n    return 0", F], f"{G}\n\ndef f(x):\n    return 0\n{F}"),
    "a helper that nobody needs": ([f"{G}\n{F}", NEWER], NEWER),
    "both with their trial calls": ([F, "f(1)", NEWER, "f(2)"], NEWER),
    "a copy of both halves": (["def f(x):", "    return 1", "def f(x):", "    return 2"], "def f(x):\n    return 2"),
}  # fmt: skip


def text_of(texts):
    return joined(texts[place] for place in parts_of(texts, lambda text: is_unwritten(text, {"f"})))


@pytest.mark.parametrize(("texts", "expected"), SPLITS.values(), ids=SPLITS)
def test_the_parts_of_a_split_cell_are_one_text(texts, expected):
    assert text_of(texts) == expected


@pytest.mark.parametrize(("texts", "expected"), COPIES.values(), ids=COPIES)
def test_of_copies_the_last_counts(texts, expected):
    assert text_of(texts) == expected


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_what_an_answer_defines_is_defined_by_no_other_cell_of_the_release(lab):
    folder = lab_text.ROOT / "course" / lab
    answers = [
        answer_id(part["exercise"])
        for part in json.loads((folder / "lab.json").read_text())["parts"]
        if "exercise" in part
    ]
    wanted = [defined_by(name) for name in answers]
    assert len(set(wanted)) == len(wanted)
    for cell in json.loads((folder / "lab.ipynb").read_text())["cells"]:
        own = {defined_by(cell["id"])} if cell["id"] in answers else set()
        assert not (set(DEFINES.findall("".join(cell["source"]))) & set(wanted)) - own


def test_a_name_comes_before_a_definition():
    cells = [("a-f-answer", STUB), ("scratch", NEWER)]
    assert cells_of_answers(cells, ["a-f-answer"]) == {"a-f-answer": [0]}
