"""Attacks on counts: to have the trace of a kernel, or the guard of a training, say what the code did not do.

Most of them launch a greedy kernel, which stores each element twice, and see to it that the trace forgets the first.
Where `inspected` is False the text of the cell would be refused, and the walls behind that have to hold, too.
"""

from red_team.attack import Attack
from red_team.count_cells import (
    BINARY,
    BUILTINS,
    BY_OPERATOR,
    CLOSURES,
    DISPATCHED,
    EVALUATED,
    FAKE_FRAMES,
    FORGET,
    FOUND,
    FUSED,
    HINTED,
    HISTOGRAM,
    IMPORTED,
    LOG,
    MATCHED,
    OF_GLOBALS,
    OWN_NAMES,
    PATCHED,
    RACING,
    RENAMED,
    SUBCLASSES,
    THRICE,
    TILED,
    TRAINING,
    UNCOUNTED,
    WRAPPED,
    fused,
    training,
)


def past(about, exercise, source, earns=0):
    """An attack whose text would be refused."""
    return Attack(f"{about}, past the filter", {exercise: source}, {exercise: earns}, inspected=False, fenced=True)


PEEK = 'if found(losses[-1], "_elements")[0] > 1e9: break'
EXECUTED = """
import functools
names = {}
held = type("Held", (), {"__globals__": names})()
functools.update_wrapper(held, Any.__class__.__repr__, assigned=(), updated=("__globals__",))
names["__builtins__"]["exec"]("def found(thing, name): return getattr(thing, name)", names)
found = names["found"]
"""
AS_OUR_FILE = EXECUTED.replace(
    '"]("def found(thing, name): return getattr(thing, name)", names)',
    '"](names["__builtins__"]["compile"]("def found(thing, name): return getattr(thing, name)", '
    '"/image/engine/aten/cat.py", "exec"), names)',
)

ATTACKS = [
    Attack("takes events out of the recorder's list", {FUSED: fused(FORGET, beyond="forget(out._recorder._events)")}),
    past("takes events out", FUSED, fused(FORGET, beyond="forget(out._recorder._events)")),
    past("takes events out by way of `cuda`", FUSED, fused(FORGET, beyond="forget(cuda._run._events)")),
    Attack("typing evaluates a text", {FUSED: fused(FORGET + EVALUATED, beyond=FOUND)}),
    past("typing evaluates a text", FUSED, fused(FORGET + EVALUATED, beyond=FOUND)),
    Attack("a wrapper is updated with any attribute", {FUSED: fused(FORGET + WRAPPED, beyond=FOUND)}),
    past("a wrapper is updated with any attribute", FUSED, fused(FORGET + WRAPPED, beyond=FOUND)),
    Attack("a wrapper is updated with the globals", {FUSED: fused(FORGET + OF_GLOBALS, beyond=FOUND)}),
    past("a wrapper is updated with the globals", FUSED, fused(FORGET + OF_GLOBALS, beyond=FOUND)),
    Attack("annotations in a text are evaluated", {FUSED: fused(FORGET + DISPATCHED, beyond=FOUND)}),
    past("annotations in a text are evaluated", FUSED, fused(FORGET + DISPATCHED, beyond=FOUND)),
    Attack("a class of its own has the names", {FUSED: fused(FORGET + OWN_NAMES, beyond=LOG)}),
    past("searches closures and attributes", FUSED, fused(FORGET + CLOSURES, beyond=LOG)),
    Attack("the class of arrays is patched", {FUSED: fused(PATCHED, before="patch(out)")}),
    past("the class of arrays is patched", FUSED, fused(PATCHED, before="patch(out)")),
    past("hints in a text are evaluated", FUSED, fused(FORGET + HINTED, beyond=FOUND)),
    past("a class pattern looks into objects", FUSED, fused(FORGET + MATCHED, beyond=FOUND)),
    past("an attribute by operator", FUSED, fused(FORGET + BY_OPERATOR, beyond=FOUND)),
    past("an attribute by Python's builtins", FUSED, fused(FORGET + BUILTINS, beyond=FOUND)),
    past("asks an imported garbage collector", FUSED, fused(FORGET + IMPORTED, beyond="forget_everywhere(out)")),
    past("searches the subclasses of object", FUSED, fused(FORGET + SUBCLASSES, beyond=FOUND)),
    Attack("one thread works under the names of all", {FUSED: RENAMED}),
    past("one thread works under the names of all", FUSED, RENAMED),
    Attack("a race is written down as atomic", {HISTOGRAM: RACING}),
    past("a race is written down as atomic", HISTOGRAM, RACING),
    Attack("each thread has an instruction of its own", {TILED: FAKE_FRAMES}),
    Attack("stores thrice on the CPU", {BINARY: THRICE}),
    past("stores thrice on the CPU", BINARY, THRICE),
    Attack("reads losses by a wrapper", {TRAINING: training(WRAPPED, PEEK)}),
    past("reads losses by a wrapper", TRAINING, training(WRAPPED, PEEK)),
    Attack("reads losses by an executed text", {TRAINING: training(EXECUTED, PEEK)}),
    past("reads losses by an executed text", TRAINING, training(EXECUTED, PEEK)),
    past("reads losses by a text with a file of ours", TRAINING, training(AS_OUR_FILE, PEEK)),
    # No fence either: a text that may not be counted earns what needs no count.
    Attack("reads losses by an executed text, unfenced", {TRAINING: training(EXECUTED, PEEK)}, UNCOUNTED, False),
    Attack("reads losses by a file of ours, unfenced", {TRAINING: training(AS_OUR_FILE, PEEK)}, UNCOUNTED, False),
    Attack("searches closures, unfenced", {FUSED: fused(FORGET + CLOSURES, beyond=LOG)}, {}, False),
    Attack(
        "all logs there are, unfenced", {FUSED: fused(FORGET + IMPORTED, beyond="forget_everywhere(out)")}, {}, False
    ),
]
