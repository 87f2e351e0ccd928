"""The half of replay that is Python: an operator's kernel runs once for a key, what it did is noted, a plan is kept.

Each plan is tried at once, in memory full of `record.PATTERNS`, and dropped if its results differ in a bit.
"""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..aten.model import NativeFunction
from ..cpu.call_recording import noting
from ..dispatch import registry
from ..dispatch.keys import DispatchKey
from ..dispatch.registry import OperatorEntry
from ..dispatch.table import Kernel
from . import call, plan
from .launches import NotReplayable
from .layout import common, fill, switched
from .objects import builtin, definition_of
from .plan import REFUSED, Plan
from .record import Recorded

SLOTS = 256  # of an operator's table, of which half are used
MISSES, MOST_MISSES = 16, 1 << 20  # calls in Python after a table was full; their number doubles each time
ENGINE = __name__.removesuffix("native.leaf")  # how the names of the engine's modules begin
_recording, _entering = threading.Lock(), threading.RLock()
_planned: list["Leaf"] = []  # those that have plans


def forget_plans() -> None:
    """Drop all plans of all operators."""
    while _planned:
        _planned.pop().forget()


def is_own(kernel: Kernel) -> bool:
    """Return True if the engine itself registered the kernel."""
    return str(getattr(kernel.registered or kernel.function, "__module__", "")).startswith(ENGINE)


class Leaf:
    """The CPU kernel of an operator: `native`, which replays plans, is called instead of the Python `function`.

    Attributes:
        refusals: why calls made no plan, as far as the table that is in use knows.
        called: the operator that the kernel calls at CPU, if it does; a kernel of somebody else there is not replayed.
        is_empty: whether nobody writes the elements of the result.
    """

    def __init__(self, entry: OperatorEntry, function: Callable[..., Any], definition: int, native: NativeFunction):
        self.called = registry.find(f"aten::{native.replay_calls}") if native.replay_calls else None
        self.is_empty = "uninitialized" in native.engine_tags
        assert entry.schema is not None
        kinds = {"Tensor": call.TENSOR, "Tensor?": call.OPTIONAL_TENSOR, "Tensor[]": call.TENSORS}
        arguments = [kinds.get(str(argument.type), call.OTHER) for argument in entry.schema.arguments]
        self.function, self.plans, self.refusals = function, list[Plan](), list[str]()
        self.epoch, self.wait, self.misses = 0, 0, MISSES
        self.kinds, self.slots = np.array(arguments, np.int64), np.zeros(SLOTS, np.int64)
        self.record = self._record  # one object, whose address the table has
        addresses = (common.ctypes.data, id(function), id(self.record), SLOTS - 1, self.slots.ctypes.data)
        self.table = np.array((*addresses, len(arguments), self.kinds.ctypes.data, 0, 0), np.int64)
        self.native = builtin(definition, self.table)

    @property
    def replays(self) -> int:
        """The number of calls that were replayed."""
        return int(self.table[call.REPLAYS // 8])

    def forget(self) -> None:
        """Drop all plans. A call that is being replayed keeps its plan until it ends."""
        with _entering:
            self.epoch += 1
            self.slots[:] = 0
            self.plans, self.refusals = [], []

    def _record(self, *args: Any) -> Any:
        """Call the function, and make the plan of the call."""
        missed, epoch = int(self.table[call.MISSED // 8]), self.epoch
        if self.wait or _recording.locked():
            self.wait = max(0, self.wait - 1)
            return self.function(*args)
        with _recording:  # an interrupt cannot come between its taking and this block, as before a `try`
            notes = list[tuple[Any, ...]]()
            with switched("paused"), noting(lambda *note: notes.append(note)):
                result = self.function(*args)
            self._enter(Recorded(self.kinds, args, result, notes, self.is_empty), missed, epoch)
        return result

    def _enter(self, recorded: Recorded, missed: int, epoch: int) -> None:
        """Make the plan of a call and keep it, or keep that there is none. The call itself has succeeded."""
        made, outputs = recorded.refusal(), REFUSED
        try:
            if self.called and not is_own(self.called.registered[DispatchKey.CPU][0]):
                raise NotReplayable(f"{self.called.name} is not the engine's own")
            made = recorded.plan()
            outputs = len(recorded.outputs)
        except Exception as error:
            self.refusals.append(f"{type(error).__name__}: {error}")
        made.cells[plan.HASH // 8] = missed
        made.cells[plan.OUTPUTS // 8] = REFUSED if outputs == REFUSED else -1 - outputs
        is_kept = self._put(made, missed, epoch)
        if is_kept and outputs != REFUSED:
            is_good = recorded.is_repeated_by(self.native)
            made.cells[plan.OUTPUTS // 8] = outputs if is_good else REFUSED
            self.refusals += [] if is_good else ["a replay gives another result"]
        if not is_kept:  # start again, and later each time
            self.forget()
            self.misses = min(2 * self.misses, MOST_MISSES)
            self.wait = self.misses

    def _put(self, made: Plan, missed: int, epoch: int) -> bool:
        """Put a plan where compiled code looks for its hash; False if there is no room."""
        with _entering:
            if epoch != self.epoch:  # the kernels are others by now
                return True
            places = [(missed >> 20) + k & SLOTS - 1 for k in range(call.PROBES)]
            place = next((place for place in places if not self.slots[place]), None)
            if place is None or 2 * len(self.plans) >= SLOTS:
                return False
            if not self.plans:
                _planned.append(self)
            self.plans.append(made)
            self.slots[place] = made.cells.ctypes.data
            return True


_definition = 0


def definition() -> int:
    """Return the definition that the built-in functions of all operators share; compiled at the first call."""
    global _definition
    if not _definition:
        fill()
        _definition = definition_of("replay", call.compiled())
    return _definition
