"""Docstrings of bound operators: a sentence, an example that is true, and the files where the code is."""

import doctest
import inspect
import pydoc
from pathlib import Path

import pytest
from compare import needs_torch

import engine
from engine.aten import python_bindings, python_docs

ROOT = Path(engine.__file__).parents[1]
DOCS = {
    name: function.__doc__
    for names in python_bindings.NAMES
    for name, function in names.bound.items()
    if name in names.schemas
}
EXAMPLES = {name: doctest.DocTestParser().get_examples(text.partition("Schemas:")[0]) for name, text in DOCS.items()}
SAMPLE = ("add", "add_", "abs_", "absolute", "view", "expand", "cat", "max", "zeros", "arange", "__iand__", "relu_")


def wrong(names, torch) -> list[str]:
    """Examples that do not print what they say."""
    examples = [(name, example) for name in names for example in EXAMPLES[name]]
    return [name for name, example in examples if f"{eval(example.source, {'torch': torch})!r}\n" != example.want]


def test_the_examples_are_true_here():
    assert wrong(SAMPLE, engine) == []


@pytest.mark.filterwarnings("ignore")
@needs_torch
def test_all_examples_are_true_in_pytorch():
    import torch

    assert wrong(EXAMPLES, torch) == []


def test_every_public_operator_has_an_example():
    assert [name for name, found in EXAMPLES.items() if not found and not name.startswith("_")] == []


def test_every_operator_has_a_sentence_and_schemas():
    for name, text in DOCS.items():
        sentence, _, rest = text.partition("\n")
        assert sentence.endswith(".") and sentence[0].isupper(), name
        assert f"    {name}" in rest.partition("Schemas:\n")[2], name


def test_the_files_that_are_named_are_there():
    for name, text in DOCS.items():
        theirs, ours = text.splitlines()[-2:]
        assert theirs.startswith("PyTorch: aten/src/ATen/"), name
        assert (ROOT / ours.removeprefix("Here: ")).is_file(), name


def test_everything_that_is_written_is_of_an_operator_that_is_bound():
    written = dict(python_docs.blocks(python_docs.PATH.read_text(encoding="utf-8")))
    assert set(written) <= set(DOCS)
    assert list(written) == sorted(written)


def test_help_shows_signature_and_docstring():
    shown = pydoc.plain(pydoc.render_doc(engine.add))
    assert "add(input, other, *, alpha=1, out=None)\n    Add `alpha` times `other`" in shown
    assert "The Python operator of `add`." in pydoc.plain(pydoc.render_doc(engine.Tensor.__radd__))


@pytest.mark.parametrize(
    "function, signature",
    [
        (lambda: engine.softmax, "(input, dim, dtype=None, *, out=None)"),
        (lambda: engine.Tensor.add, "(self, /, other, *, alpha=1)"),
        (lambda: engine.ones(1).add, "(other, *, alpha=1)"),
        (lambda: engine.ones(1).__mul__, "(other, /)"),
        (lambda: engine.ones(1).__neg__, "()"),
        (lambda: engine.sum, "(*args, **kwargs)"),
    ],
)
def test_the_signature_is_that_of_the_only_form(function, signature):
    assert str(inspect.signature(function())) == signature


def test_an_operator_of_ones_own_has_its_schemas_for_a_docstring():
    def twice(self):
        return self + self

    text = "- func: twice(Tensor self) -> Tensor\n  variants: function, method\n"
    handle = engine.extend.register(text, {"twice": twice})
    try:
        assert engine.twice.__doc__ == "Schemas:\n    twice(Tensor self) -> Tensor"
        assert engine.add.__doc__ == DOCS["add"]
    finally:
        handle.destroy()
