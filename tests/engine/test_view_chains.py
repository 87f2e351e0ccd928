"""Chains of views on the engine and on PyTorch: after every step, all that can be seen is the same.

CONFORMANCE_EXAMPLES says how many chains are drawn; `make conformance` draws 10,000.
"""

import os

from compare import needs_torch, outcome, seen, shares_storage, torch
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis.strategies import nothing
from view_chains import Chain, chains, start, take, walk

import engine

pytestmark = needs_torch
EXAMPLES = int(os.environ.get("CONFORMANCE_EXAMPLES", "300"))


def trace(T, chain):
    """Return the visible state after each step, what the step shares with its input, and the start at the end."""
    x = first = start(T, chain.start)
    steps = [("start", seen(T, x))]
    for step in chain.steps:
        told = outcome(T, lambda T, x=x, step=step: [x, take(T, x, step)])
        after = walk(T, x, step)
        steps.append((step, told, after is x, shares_storage(T, after, x)))
        x = after
    return [*steps, ("start, at the end", seen(T, first))]


@given(chain=chains(torch) if torch else nothing())
@example(chain=Chain(("as_strided", "int64", (2,), (0,), 0), (("ravel", ()),)))
@example(chain=Chain(("as_strided", "int64", (2,), (0,), 0), (("fill_", (0,)),)))
@example(chain=Chain(("expanded", "int64", (1, 1), (0, 2)), (("clone", ()),)))
@example(chain=Chain(("contiguous", "int64", ()), (("broadcast_to", ((1,),)),)))
@example(chain=Chain(("contiguous", "int64", (2, 2)), (("unflatten", (2, ())),)))
@example(chain=Chain(("contiguous", "int64", ()), (("unflatten", (0, (0,))),)))
@example(chain=Chain(("contiguous", "int64", ()), (("contiguous", ("preserve_format",)),)))
@example(chain=Chain(("channels_last", "int64", (2, 2, 2, 2)), (("__getitem__", ((None, ..., 0, ..., None),)),)))
@example(chain=Chain(("contiguous", "int64", ()), (("__getitem__", (slice(None, None, -1),)),)))
@example(chain=Chain(("contiguous", "int64", (1, 1, 2)), (("permute", ((0, 0, 3),)),)))
@example(chain=Chain(("contiguous", "int64", ()), (("squeeze", ((0, 0, 1),)),)))
@example(chain=Chain(("expanded", "int64", (3, 1), (3, 3)), (("unbind", ()), ("ravel", ()))))
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_chain_of_views_looks_the_same_after_every_step(chain):
    expected, got = trace(torch, chain), trace(engine, chain)
    for step, its_outcome in zip(chain.steps, expected[1:], strict=False):
        event(f"{step[0]}: {'refused' if hasattr(its_outcome[1], 'type') else 'done'}")
    for told, wanted in zip(got, expected, strict=True):
        assert told == wanted
