"""Behaviors of autograd, engine against PyTorch: the snippets of tests/autograd_snippets."""

import autograd_snippets
import pytest
from autograd_snippets.observe import outcome
from compare import needs_torch, torch


@needs_torch
@pytest.mark.parametrize("name", autograd_snippets.SNIPPETS)
def test_behaviour_is_pytorchs(name):
    difference = autograd_snippets.difference(name)
    assert bool(difference) == (name in autograd_snippets.DIFFERENT), difference or "listed as different, and is not"


@needs_torch
def test_snippets_run_with_pytorch_and_see_the_same_twice():
    torch.set_warn_always(True)
    snippets = autograd_snippets.SNIPPETS
    once = {name: outcome(torch, snippet) for name, snippet in snippets.items()}
    assert len(snippets) >= 150
    assert {name for name, snippet in snippets.items() if outcome(torch, snippet) != once[name]} == set()
