"""Multiplications and additions of a block, by operator and module. Mirrors torch/utils/flop_counter.py."""

import functools
import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._ops import OpOverload, OpOverloadPacket, ops
from ..profiler.flops import product_flops
from ..tensor_impl import Tensor
from .module_tracker import ModuleTracker
from .python_dispatch import TorchDispatchMode
from .pytree import tree_map, tree_map_

__all__ = ["FlopCounterMode", "register_flop_formula"]

Sizes = Sequence[int]
Formula = Callable[..., int]

flop_registry: dict[OpOverloadPacket, Formula] = {}  # operator -> function of a call's arguments and of `out_val`


def get_shape(i: Any) -> Any:
    """Return the sizes of a tensor; anything else as it is."""
    return i.shape if isinstance(i, Tensor) else i


def shape_wrapper(f: Formula) -> Formula:
    """Return a function of tensors that calls a function of their sizes and of the result's sizes, `out_shape`."""

    @functools.wraps(f)
    def of_tensors(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        args, kwargs, out_shape = tree_map(get_shape, (args, kwargs, out_val))
        return f(*args, out_shape=out_shape, **kwargs)

    return of_tensors


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Formula], Formula]:
    """Register a function as the FLOP formula of operators (a decorator).

    Args:
        targets: one packet, as `ops.mylib.foo`, or a list of them; a RuntimeError if one has a formula.
        get_raw: the function takes tensors, and the result as `out_val`; otherwise sizes, and `out_shape`.
    """

    def register(formula: Formula) -> Formula:
        formula = formula if get_raw else shape_wrapper(formula)

        def enter(target: Any) -> None:
            if not isinstance(target, OpOverloadPacket):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. "
                    "torch.ops.mylib.foo), JitFunction, or HigherOrderOperator, "
                    f"got {target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = formula

        tree_map_(enter, targets)
        return formula

    return register


def _of(names: str) -> Callable[[Formula], Formula]:
    return register_flop_formula([getattr(ops.aten, name) for name in names.split()])


def _product(name: str, place: int) -> Formula:
    """Return the formula of a matrix product, (n, k) by (k, m), or of a batch of them.

    Args:
        name: in the AssertionError for sizes that don't match.
        place: of the first matrix in the arguments, 1 where something is added; the addition does not count.
    """

    def formula(*shapes: Any, **_: Any) -> int:
        """Return the FLOPs of an operator, of sizes or of tensors."""
        one, other = shapes[place : place + 2]
        (*batch, _, k), (*batch2, k2, _) = one, other
        assert batch == batch2, f"{name}: batch dimensions must match (b == b2), got {batch[0]} and {batch2[0]}"
        assert k == k2, f"{name}: inner dimensions must match (k == k2), got {k} and {k2}"
        return product_flops(one, other)

    return formula


mm_flop, addmm_flop = _of("mm")(_product("matmul", 0)), _of("addmm")(_product("matmul", 1))
bmm_flop, baddbmm_flop = _of("bmm")(_product("bmm", 0)), _of("baddbmm")(_product("bmm", 1))


def conv_flop_count(x_shape: Sizes, w_shape: Sizes, out_shape: Sizes, transposed: bool = False) -> int:
    """Return the FLOPs of a convolution: for each position, two for each element of the weight.

    Args:
        x_shape: sizes of the input, (batch, channels, ...).
        w_shape: sizes of the weight, whose second is already divided by the groups.
        out_shape: sizes of the result.
        transposed: the positions are the input's, not the result's.
    """
    positions = (x_shape if transposed else out_shape)[2:]
    return 2 * x_shape[0] * math.prod(positions) * math.prod(w_shape)


@_of("convolution _convolution")
def conv_flop(x_shape: Sizes, w_shape: Sizes, *rest: Any, out_shape: Any = None, **_: Any) -> int:
    """Return the FLOPs of the operator `convolution`."""
    transposed = rest[4]  # behind bias, stride, padding and dilation
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


@_of("convolution_backward")
def conv_backward_flop(
    grad_out_shape: Sizes, x_shape: Sizes, w_shape: Sizes, bias: Any, stride: Any, padding: Any, dilation: Any,
    transposed: bool, output_padding: Any, groups: int, output_mask: Sequence[bool], out_shape: Sequence[Any], **_: Any,
) -> int:  # fmt: skip
    """Return the FLOPs of a convolution's backward; the gradient of the bias does not count.

    Both gradients are convolutions. The input's takes `grad_out` and the weight, and is transposed where the
    convolution is not. The weight's takes the input and `grad_out`, both with batch and channels exchanged; for a
    transposed convolution the other way around.
    """
    count = 0
    if output_mask[0]:
        count += conv_flop_count(grad_out_shape, w_shape, out_shape[0], not transposed)
    if output_mask[1]:
        image, kernel = (grad_out_shape, x_shape) if transposed else (x_shape, grad_out_shape)
        one, other, out = ((sizes[1], sizes[0], *sizes[2:]) for sizes in (image, kernel, out_shape[1]))
        count += conv_flop_count(one, other, out)
    return count


def sdpa_flop_count(query_shape: Sizes, key_shape: Sizes, value_shape: Sizes) -> int:
    """Return the FLOPs of attention, of the scores and of the values that they weigh; masks do not count.

    Args:
        query_shape: (batch, heads, queries, width).
        key_shape, value_shape: (batch, heads or a divisor of them, keys, width of a key or a value).
    """
    (batch, heads, queries, width), (*of_keys, key_width) = query_shape, key_shape
    sizes = f"q={query_shape}, k={key_shape}, v={value_shape}"
    fit = batch == key_shape[0] and of_keys == [*value_shape[:3]] and width == key_width
    assert fit, f"sdpa_flop_count: query/key/value shapes are incompatible: {sizes}"
    return 2 * batch * heads * queries * key_shape[2] * (width + value_shape[3])


def sdpa_backward_flop_count(grad_out_shape: Sizes, query_shape: Sizes, key_shape: Sizes, value_shape: Sizes) -> int:
    """Return the FLOPs of attention's backward: the scores again, and two products for each product of forward."""
    (batch, heads, queries, width), keys = query_shape, key_shape[2]
    return 2 * batch * heads * queries * keys * (3 * width + 2 * value_shape[3])


@shape_wrapper
def sdpa_flop(*shapes: Any, **_: Any) -> int:
    """Return the FLOPs of an operator of attention, of which the engine has none."""
    return sdpa_flop_count(*shapes[:3])


@shape_wrapper
def sdpa_backward_flop(*shapes: Any, **_: Any) -> int:
    """Return the FLOPs of its backward."""
    return sdpa_backward_flop_count(*shapes[:4])


class FlopCounterMode:
    """Context manager that counts the FLOPs of matrix products, convolutions and attention, forward and backward.

    Args:
        mods: not needed: modules are found as they run.
        depth: of the table, in modules; None for all.
        display: the table is printed at the end of the block.
        custom_mapping: packet -> formula, as `register_flop_formula` takes it; one with a true `_get_raw` is given
            tensors.

    Attributes:
        flop_counts: module's name -> packet -> FLOPs; "Global" has all.
    """

    def __init__(
        self, mods: Any = None, depth: int | None = 2, display: bool = True,
        custom_mapping: Mapping[Any, Formula] | None = None,
    ):  # fmt: skip
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.flop_registry = flop_registry | {
            packet: formula if getattr(formula, "_get_raw", False) else shape_wrapper(formula)
            for packet, formula in (custom_mapping or {}).items()
        }
        self.mod_tracker = ModuleTracker()
        self.mode: _FlopCounterMode | None = None

    def get_total_flops(self) -> int:
        """Return the FLOPs of the block."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Return the FLOPs by module and operator."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """Return a table of the modules, to a depth, and their FLOPs; "Global" only if it has more than they have."""
        depth, total, counts = self.depth if depth is None else depth, self.get_total_flops(), self.flop_counts
        shown = [name for name in sorted(counts) if name != "Global" and (depth is None or name.count(".") < depth)]
        if all(sum(counts[name].values()) < total for name in shown):
            shown.insert(0, "Global")
        return _aligned([_HEADER, *(row for name in shown for row in _rows(name, counts[name], total))])

    def __enter__(self) -> "FlopCounterMode":
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = _FlopCounterMode(self).__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        assert self.mode is not None
        self.mode.__exit__(*error)
        self.mode = None
        self.mod_tracker.__exit__()
        if self.display:
            print(self.get_table())


class _FlopCounterMode(TorchDispatchMode):
    def __init__(self, counter: FlopCounterMode):
        self.counter = counter

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        counter, kwargs = self.counter, kwargs or {}
        with self:
            result = func.decompose(*args, **kwargs)
        if result is not NotImplemented:
            return result
        result = func(*args, **kwargs)
        packet = func.overloadpacket
        if packet in counter.flop_registry:
            count = counter.flop_registry[packet](*args, **kwargs, out_val=result)
            for name in sorted(counter.mod_tracker.parents):
                counter.flop_counts[name][packet] += count
        return result


# ---- the table, as tabulate 0.10 prints PyTorch's: modules in modules are not indented

suffixes = ["", "K", "M", "B", "T"]
_HEADER = ("Module", "FLOP", "% Total")


def get_suffix_str(number: int) -> str:
    """Return the suffix that leaves a number of FLOPs two to four digits, "1234.500K"."""
    return suffixes[max(0, min(len(suffixes) - 1, (len(str(number)) - 2) // 3))]


def convert_num_with_suffix(number: int, suffix: str) -> str:
    """Return a number of FLOPs in the unit of a suffix."""
    return f"{number / 1000 ** suffixes.index(suffix):.3f}{suffix}"


def convert_to_percent_str(num: int, denom: int) -> str:
    """Return `num` in percent of `denom`."""
    return f"{num / denom:.2%}" if denom else "0%"


def _rows(name: str, counts: Mapping[Any, int], total: int) -> list[tuple[str, str, str]]:
    """Return the rows of a module: its own, and one for each operator."""
    suffix = get_suffix_str(total)
    entries = {name: sum(counts.values())} | {f"- {packet}": count for packet, count in counts.items()}
    return [
        (entry, convert_num_with_suffix(count, suffix) if suffix else str(count), convert_to_percent_str(count, total))
        for entry, count in entries.items()
    ]


def _aligned(rows: list[tuple[str, str, str]]) -> str:
    """Return rows as text, the first column to the left."""
    widths = [max(len(column[0]) + 2, *map(len, column)) for column in zip(*rows, strict=True)]
    lines = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return "\n".join("  ".join(map(format, line, map("{}{}".format, "<>>", widths))).rstrip() for line in lines)
