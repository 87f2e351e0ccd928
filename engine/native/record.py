"""A call that ran in Python, and the plan of it.

A plan can be made if all that the kernel did was to call compiled kernels (`cpu.call_recording`) with arrays that are
memory of its operands and outputs, and with numbers that follow from the key.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dispatch.keys import KEY_SETS
from ..dtypes import CPU
from ..storage import UntypedStorage
from ..tensor_impl import Tensor
from . import call, plan
from .launches import Launch, Note, NotReplayable, Operand
from .layout import switched
from .objects import this_thread
from .plan import KEY_CELLS, LAUNCH_CELLS, NEW, OUTPUT_CELLS, VIEW, Plan

PATTERNS = 0xFF, 0xA5
"""Bytes that fill new memory while a plan is tried. 0xFF makes floats NaN, which no sum hides. Ints differ between the
two, so a plan that reads memory before it is written gives another result at least once.
"""


LARGE = 1 << 20
"""Bytes of operands and outputs above which a call makes no plan: a trial takes time and memory, to save a few us."""


class Recorded:
    """A call that ran in Python, and the plan made from it.

    Args:
        kinds: of the operator's arguments, as `call` names them.
        args, result: of the call.
        notes: of the compiled kernels that it called: the arguments of `Note`.
        is_empty: nothing need be written to a new output.
    """

    def __init__(
        self, kinds: np.ndarray, args: tuple[Any, ...], result: Any, notes: list[tuple[Any, ...]], is_empty: bool
    ):
        self.is_empty = is_empty
        self.args, self.result, self.notes = args, result, notes
        self.outputs: tuple[Any, ...] = result if type(result) is tuple else (result,)
        self.tensors, self.others = list[Tensor](), list[Any]()
        for kind, arg in zip(kinds, args, strict=True):
            if kind == call.TENSORS:
                self.tensors += arg
            else:
                (self.others if kind == call.OTHER or arg is None else self.tensors).append(arg)
        self.operands = [Operand(k, x) for k, x in enumerate(self.tensors) if self._first(x) == k]

    def _first(self, x: Tensor) -> int:
        return next(k for k, tensor in enumerate(self.tensors) if tensor is x)

    def plan(self) -> Plan:
        """Return a plan that replays the call.

        Raises:
            NotReplayable: the call did more than a plan can say.
        """
        made = self.refusal()
        if len(self.outputs) > plan.MOST_OUTPUTS or len(self.notes) > plan.MOST_LAUNCHES:
            raise NotReplayable("too many outputs, or calls of kernels")
        if (self.notes or self.is_empty) and sum(x.nbytes for x in (*self.tensors, *self.outputs)) > LARGE:
            raise NotReplayable("work that takes much longer than its Python")
        first = plan.FIRST_OUTPUT // 8
        for k, out in enumerate(self.outputs):
            made.cells[first + k * OUTPUT_CELLS :][:OUTPUT_CELLS] = self._output(made, k, out)
        first = plan.FIRST_LAUNCH // 8
        for k, note in enumerate(self.notes):
            made.cells[first + k * LAUNCH_CELLS :][:LAUNCH_CELLS] = Launch(self.operands, Note(*note)).cells(made)
        for operand in self.operands:
            if any(operand.tensor is out for out in self.outputs) and not (operand.is_used or self.is_empty):
                raise NotReplayable("an output that no compiled kernel wrote")
        made.cells[plan.LAUNCHES // 8] = len(self.notes)
        return made

    def refusal(self) -> Plan:
        """Return a plan for a call that must run in Python: its key alone."""
        made = Plan()
        key = list[int]()
        for x in self.tensors:
            kept = x._sizes, x._strides, x._dtype, x._wrapped_number
            extent = plan.SIDE_BY_SIDE if x._storage_offset else x._storage._nbytes
            key += [*map(id, kept), self._first(x), extent]
            made.kept += kept
        key += map(id, self.others)
        made.kept += self.others
        made.cells[plan.TENSORS // 8 :][:2] = len(self.tensors), len(self.others)
        made.cells[plan.KEY // 8 :][: len(key)] = key
        assert len(key) <= KEY_CELLS * plan.MOST_TENSORS + plan.MOST_OTHERS
        return made

    def _output(self, made: Plan, number: int, out: Any) -> Sequence[int]:
        """Return the cells of an output; a new one becomes an operand."""
        if type(out) is not Tensor and not any(out is x for x in self.tensors):
            raise NotReplayable("an output that is no plain tensor")
        made.kept += (out._sizes, out._strides)
        base = next((k for k, x in enumerate(self.tensors) if x._storage is out._storage), None)
        if base is not None and out is self.tensors[base]:
            if len(self.outputs) != 1 or len(self.notes) != 1:
                raise NotReplayable("more is done than one write to an argument")
            return (plan.ARGUMENT, 0, 0, base, 0, 0, 0, 0)
        if out._key_set is not KEY_SETS["cpu"] or out._wrapped_number or out._autograd_meta is not None:
            raise NotReplayable("an output with more than geometry and memory")
        if base is not None:
            x = self.tensors[base]
            if self.notes or out._dtype is not x._dtype or out._version_counter is not x._version_counter:
                raise NotReplayable("a view that is not just another geometry")
            further = out._storage_offset - x._storage_offset
            return (VIEW, id(out._sizes), id(out._strides), base, further, 0, 0, 0)
        return self._new_output(made, number, out)

    def _new_output(self, made: Plan, number: int, out: Tensor) -> Sequence[int]:
        storage: UntypedStorage = out._storage
        nbytes, itemsize = storage._nbytes, out._dtype.itemsize
        is_dense = out._storage_offset == 0 and storage.device is CPU and storage._resizable
        if not is_dense or out._version or storage._cells.dtype is not out._dtype.numpy:
            raise NotReplayable("an output that is not as `new_dense` makes it")
        if not nbytes or not (self.notes or self.is_empty):
            raise NotReplayable("an output that no compiled kernel wrote")
        made.kept.append(nbytes)
        self.operands.append(Operand(len(self.tensors) + number, out))
        return (NEW, id(out._sizes), id(out._strides), nbytes // itemsize, itemsize, id(nbytes),
                id(out._dtype), id(out._dtype.numpy))  # fmt: skip

    def is_repeated_by(self, native: Callable[..., Any]) -> bool:
        """Return True if the plan reproduces Python's results, or writes in place and so can't be tried twice."""
        if any(out is x for out in self.outputs for x in self.tensors):
            return True
        return all(self._is_repeated_by(native, pattern) for pattern in PATTERNS)

    def _is_repeated_by(self, native: Callable[..., Any], pattern: int) -> bool:
        try:
            with switched("pattern", pattern), switched("trial", this_thread()):
                again = native(*self.args)
        except Exception:  # such as one of no memory for a second result
            return False
        if type(again) is not type(self.result):
            return False
        pairs = zip(self.outputs, again if type(again) is tuple else (again,), strict=True)
        return all(is_same(one, other, self.is_empty) for one, other in pairs)


def is_same(one: Tensor, other: Tensor, is_empty: bool) -> bool:
    """Return True if two outputs are the same view, or have equal geometry and, unless `is_empty`, equal bytes."""
    for field in ("_sizes", "_strides", "_storage_offset", "_dtype"):
        if getattr(one, field) != getattr(other, field):
            return False
    cells = (tensor._storage._cells.view(np.uint8) for tensor in (one, other))
    return is_empty or one._storage is other._storage or bool(np.array_equal(*cells))
