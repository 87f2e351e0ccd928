"""Random programs over the public names, run on PyTorch and on the engine line by line.

A program is drawn from a seed: lines of Python over the variables v0, v1..., each a statement of `STATEMENTS` with its
blanks filled in. What PyTorch refuses is mostly drawn again, and sometimes kept: then both have to raise the same
error. After each line all that can be seen of all variables is compared, and values that agree within rounding become
PyTorch's on both sides, so that a difference is the last line's. Of a program that differs, the lines that do not
matter are left out.
"""

import random
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

import engine
from engine.aten.tensor_numpy import numpy as memory_of

from .calls import _identity as storage_of

NUMBERS = ("0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "-3.0", "7.0")
SPECIAL = (*NUMBERS, "float('nan')", "float('inf')", "float('-inf')", "1e-30", "1e15", "-1e5")
MOST = 5e-5, 1e-9  # relative differences of float32 and of float64
DRAWS, KEPT = 8, 0.04  # of a line that PyTorch refuses: how often it is drawn again, how often one is kept


def _list(text: str) -> tuple[str, ...]:
    return tuple(entry.strip() for entry in re.split(r"\s;\s|\n", text) if entry.strip())


def _words(text: str) -> list[str]:
    return text.split()


BLANKS = {
    "d": ("0", "-1", "1", "-2", "2"), "i": ("0", "1", "-1", "2", "-2"), "n": ("1", "2", "3"), "c": NUMBERS,
    "s": _list("() ; (1,) ; (2,) ; (3,) ; (0,) ; (2, 3) ; (3, 2) ; (1, 3) ; (2, 1) ; (3, 3) ; (0, 2) ; (2, 2, 3)"),
    "k": ("True", "False"), "t": ("float32", "float64", "int64", "int32", "bool"), "r": ("'mean'", "'sum'", "'none'"),
    "at": _list("""0 ; -1 ; ... ; None ; : ; 1: ; ::2 ; :0 ; ..., 0 ; :, None ; 0, ... ; [0, 0] ; ..., [0, -1] ; {x} > 0
        T.tensor([1, 0]) ; None, 0 ; :, 1: ; T.tensor(0) ; True ; 0, [0] ; [[0], [0]] ; 1, 0 ; {x}.new_ones(2).bool()
        T.tensor([[True], [False]]), 0 ; ..., None, [0] ; False"""),
    "one": _words("""abs neg exp log sqrt rsqrt sin cos tan tanh sigmoid erf floor ceil round trunc frac sign square
        relu log2 reciprocal expm1 log1p asin atan sinh cosh logical_not isnan isinf isfinite sgn
        positive log10 exp2"""),
    "two": _words("""add sub mul div maximum minimum pow atan2 fmod remainder eq ne lt le gt ge logical_and logical_or
        logaddexp floor_divide hypot fmax fmin copysign bitwise_and bitwise_xor"""),
    "in": _words("abs neg exp sin tanh sigmoid sqrt floor round square relu sign trunc reciprocal zero"),
    "of": _words("sum mean prod amax amin any all var std nansum logsumexp argmax argmin count_nonzero"),
    "along": _words("cumsum cumprod logcumsumexp softmax log_softmax cummax cummin sort argsort"),
    "f": _words("""relu silu gelu elu selu celu softplus hardtanh leaky_relu relu6 hardswish hardsigmoid mish logsigmoid
        softsign tanhshrink softshrink hardshrink"""),
    "loss": _words("mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy_with_logits kl_div"),
}  # fmt: skip
TEXTS = {
    "made": """T.tensor({data}).view({s}) ; T.zeros({s}, dtype=T.{t}) ; T.ones({s}).requires_grad_() ; T.full({s}, {c})
        T.tensor({data}) ; T.arange(6.0).view(2, 3).t() ; T.ones({n}).expand(2, {n}) ; T.eye({n}) ; T.randn({s})
        T.randint(-3, 4, {s}) ; T.tensor({c}, requires_grad=True) ; T.linspace(-2, 2, {n}) ; T.LongTensor([{n}, 0])
        T.arange({n}, 9, {n}, dtype=T.{t}) ; T.randn({s}, dtype=T.float64, requires_grad=True)""",
    "view": """{x}.view(-1) ; {x}.reshape(-1, {n}) ; {x}.t() ; {x}.transpose({d}, {d}) ; {x}.unsqueeze({d}) ; {x}.mT
        {x}.squeeze() ; {x}.squeeze({d}) ; {x}.expand({n}, *{x}.shape) ; {x}.narrow({d}, {i}, {n}) ; {x}.view_as({y})
        {x}.select({d}, {i}) ; {x}.diagonal() ; {x}.unfold({d}, {n}, {n}) ; {x}.flatten() ; {x}.detach() ; {x}[{at}]
        {x}.split({n}, {d})[-1] ; {x}.chunk({n}, {d})[0] ; {x}.unbind({d})[0] ; {x}.movedim(0, {d}) ; {x}.contiguous()
        {x}.as_strided(({n}, 2), (1, 1)) ; {x}.permute(*reversed(range({x}.dim()))) ; {x}.expand_as({y})
        {x}.broadcast_to({s}) ; {x}.unflatten({d}, ({n}, -1)) ; {x}.view({s})""",
    "write": """{x}.{in}_() ; {x}.add_({c}) ; {x}.mul_({y}) ; {x}.copy_({y}) ; {x}.fill_({c}) ; {x}[{at}] = {c}
        {x}[{at}] = {y} ; {x} += {y} ; {x}.clamp_({c}, {c}) ; {x}.masked_fill_({x} > 0, {c}) ; {x}.t_() ; {x}.detach_()
        {x}.index_fill_({d}, T.tensor([0]), {c}) ; {x}.unsqueeze_({d}) ; {x}.squeeze_() ; {x}.addcmul_({y}, {y})
        {x}.lerp_({y}, 0.5) ; {x}.index_add_({d}, T.tensor([0]), {y}) ; {x}.transpose_({d}, {d}) ; {x}.resize_(0)
        {x}.scatter_({d}, T.zeros_like({x}).long(), {c}) ; {x}.sub_({y}, alpha=2) ; {x}.requires_grad_() ; {x}.pow_({c})
        {x}.index_put_((T.tensor([0, 0]),), {y}, accumulate={k}) ; {x}.cumsum_({d}) ; {x}.requires_grad_(False)
        T.add({x}, {y}, out={z}) ; T.sum({x}, {d}, out={z}) ; T.exp({x}, out={z}) ; T.cat([{x}, {y}], out={z})
        {x} *= {c} ; {x} -= {y} ; {x}.div_({y}) ; {x}.tril_() ; {x}.where({x} > 0, {y}).sin_() ; {x}.data.add_(1)""",
    "value": """T.{one}({x}) ; T.{two}({x}, {y}) ; T.{two}({x}, {c}) ; {x} + {y} ; {x} * {c} ; {c} - {x} ; {x} / {y}
        {x} @ {y} ; T.where({x} > {c}, {x}, {y}) ; T.clamp({x}, {c}, {c}) ; T.lerp({x}, {y}, 0.25) ; {x}.to(T.{t})
        T.{of}({x}) ; T.{of}({x}, {d}) ; T.{of}({x}, {d}, keepdim={k}) ; T.{along}({x}, {d}) ; T.sum({x}, ({d}, {d}))
        {x}.sum({d}, dtype=T.{t}) ; {x}.norm() ; T.linalg.vector_norm({x}, {n}, {d}) ; {x}.max({d}) ; {x}.clone()
        T.zeros_like({x}) ; T.full_like({x}, {c}) ; ~({x} > 0) ; {x}.item() ; {x}.tolist() ; T.allclose({x}, {y})
        T.equal({x}, {y}) ; len({x}) ; {x}.is_contiguous() ; T.{one}({x}) ; T.addmm({x}, {y}, {z}) ; T.mv({x}, {y})""",
    "moved": """T.cat([{x}, {y}], {d}) ; T.stack([{x}, {y}], {d}) ; T.flip({x}, ({d},)) ; T.roll({x}, {i}, {d})
        {x}.repeat(2, {n}) ; T.tril({x}, {i}) ; T.index_select({x}, {d}, T.tensor([0, 0])) ; {x}.nonzero() ; {x}[{at}]
        T.gather({x}, {d}, T.zeros_like({x}).long()) ; T.masked_select({x}, {x} > {c}) ; {x}.diag() ; T.roll({x}, {i})
        T.take_along_dim({x}, T.zeros_like({x}).long(), {d}) ; {x}.scatter({d}, T.zeros_like({x}).long(), {y})
        T.repeat_interleave({x}, {n}, {d}) ; T.take({x}, T.tensor([0, -1])) ; {x}.tile(({n}, 2)) ; T.hstack([{x}, {y}])
        {x}.index_add({d}, T.tensor([0, 0]), {y}) ; T.broadcast_tensors({x}, {y})[0] ; T.einsum('ij,kj->ik', {x}, {y})
        T.outer({x}, {y}) ; T.meshgrid({x}, {y}, indexing='ij')[0] ; T.diag_embed({x}) ; T.unbind({x}, {d})[-1]""",
    "nn": """F.{f}({x}) ; F.softmax({x}, {d}) ; F.layer_norm({x}, {x}.shape[-1:]) ; F.{loss}({x}, {y}, reduction={r})
        F.pad({x}, ({i}, {n}), value={c}) ; F.normalize({x}, dim={d}) ; F.linear({x}, {y}) ; F.glu({x}, {d})
        F.cross_entropy({x}, {y}.long(), reduction={r}) ; F.cross_entropy({x}, {y}, reduction={r}, label_smoothing=0.1)
        F.embedding({y}.long(), {x}) ; F.nll_loss({x}, {y}.long()) ; F.cosine_similarity({x}, {y}, {d})
        F.avg_pool1d({x}, {n}) ; F.max_pool1d({x}, {n}, 1) ; F.conv1d({x}, {y}) ; F.dropout({x}, 0.5, training={k})
        F.one_hot({x}.long()) ; F.batch_norm({x}, None, None, training=True) ; F.prelu({x}, {y}) ; F.group_norm({x}, 1)
        F.interpolate({x}, scale_factor=2) ; F.scaled_dot_product_attention({x}, {y}, {y})""",
    "grad": """{x}.sum().backward() ; ({x} * {y}).sum().backward() ; {x}.retain_grad() ; {x}.backward() ; {x}.grad
        T.autograd.grad({x}.sum(), {y}, allow_unused=True)[0] ; {x}.mean().backward(retain_graph=True)
        T.autograd.grad({x}.square().sum(), {y}, create_graph=True)[0] ; {x}.backward(T.ones_like({x}))
        setattr({x}, 'grad', None) ; ({x} ** 2).sum().backward()""",
}
STATEMENTS = {kind: _list(text) for kind, text in TEXTS.items()}
WEIGHTS = {"made": 2, "view": 5, "write": 5, "value": 6, "moved": 3, "nn": 3, "grad": 3}
KNOWN = {
    r"values: .*out=": "into memory that it reads, which PyTorch doesn't look for",
    r"error: .*T\.sum\(.*out=": "into its input, which has taken the sizes of the sum: PyTorch reads what is left",
    r"values: .*gelu": "of infinity: PyTorch's loop over vectors of float32 gives NaN, the one over elements infinity",
    r"error: .*as_strided": "a storage of PyTorch's may be larger than the tensor that an operator made",
    r"version: .*backward\(": "of a gradient, the first addition to which PyTorch may count",
    r"node: .*autograd\.grad": "a formula of PyTorch's multiplies by a number as C++ does: MulBackward1, not 0",
    r"(error|node): .*scaled_dot_product_attention": "no elements in sizes that don't fit: PyTorch takes no product",
    r"error: .*embedding": "by a weight that is no matrix and requires grad: the error is of the formula's size(0)",
    r"strides: .*(autograd\.grad|backward)": "through a write to a view, for which PyTorch copies the gradient densely",
    r"strides: .*(max_pool1d|relu6|hardtanh)": "of dimensions of size 1, whose strides PyTorch lays out anew",
}
"""Regular expression of a line that differs -> why that stays."""


class Side:
    """The variables of a program on one side."""

    def __init__(self, T: Any):
        T.manual_seed(0)
        self.T, self.names = T, {"T": T, "F": T.nn.functional}

    def run(self, line: str) -> str:
        """The type of the error that a line raises, or ""."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(line, self.names)
            except Exception as error:
                return type(error).__name__
        return ""

    def tensors(self) -> Iterator[tuple[str, Any]]:
        """All tensors by name: variables, what is in a tuple of them, and their gradients."""
        for name in [name for name in self.names if re.fullmatch(r"v\d+", name)]:
            value = self.names[name]
            for number, one in enumerate(value if isinstance(value, tuple) else (value,)):
                yield f"{name}[{number}]", one
                if isinstance(one, self.T.Tensor) and _look(one, "is_leaf") is True and one.grad is not None:
                    yield f"{name}[{number}].grad", one.grad

    def variables(self) -> list[str]:
        """The variables that are tensors."""
        return [name for name, value in self.names.items() if name[0] == "v" and isinstance(value, self.T.Tensor)]


def seen(T: Any, one: Any, storages: list[Any]) -> dict[str, Any]:
    """Return what can be seen of a tensor beside its values; `storages` numbers them in order of appearance."""
    if not isinstance(one, T.Tensor):
        return {"type": type(one).__name__}
    storage = storage_of(one)
    if storage not in storages:
        storages.append(storage)
    return {
        "dtype": str(one.dtype), "sizes": tuple(one.shape), "strides": tuple(one.stride()) if one.numel() else None,
        "offset": one.storage_offset(), "version": one._version, "requires_grad": one.requires_grad,
        "is_leaf": _look(one, "is_leaf"), "is_view": one._is_view(), "storage": storages.index(storage),
        "node": getattr(_look(one, "grad_fn"), "name", lambda: None)(),
    }  # fmt: skip


def _look(one: Any, name: str) -> Any:
    """An attribute, or the error of what can't be had: the history of some views whose base was written to."""
    try:
        return getattr(one, name)
    except RuntimeError as error:
        return type(error).__name__


def difference(ours: Side, theirs: Side) -> tuple[str, str] | None:
    """Return what differs between two sides, as a kind and a text; rounding is taken back."""
    mine, others = list(ours.tensors()), list(theirs.tensors())
    if [name for name, _ in mine] != [name for name, _ in others]:
        return "variables", f"engine has {[name for name, _ in mine]}, PyTorch {[name for name, _ in others]}"
    storages: tuple[list[Any], list[Any]] = [], []
    for (name, one), (_, other) in zip(mine, others, strict=True):
        a, b = seen(ours.T, one, storages[0]), seen(theirs.T, other, storages[1])
        for key in b:
            if a.get(key) != b[key]:
                return key, f"{name}: engine {a.get(key)}, PyTorch {b[key]}"
        if text := _rounded(one, other, "sizes" in b, theirs):
            return "values", f"{name}: {text}"
    return None


def _rounded(one: Any, other: Any, is_tensor: bool, theirs: Side) -> str:
    """Return how values differ; if they are close beside the largest number of the program, they become PyTorch's."""
    a, b = (_array(x) if is_tensor else np.asarray(x) for x in (one, other))
    if a.tobytes() == b.tobytes():
        return ""
    if b.dtype.kind == "f":
        most = MOST[b.dtype == np.float64]
        finite = [cells[np.isfinite(cells)] for cells in (_array(theirs.names[name]) for name in theirs.variables())]
        scale = max((float(np.abs(cells).max()) for cells in finite if cells.size), default=0.0)
        with np.errstate(all="ignore"):
            if np.allclose(a, b, rtol=most, atol=most * scale, equal_nan=True):
                if is_tensor:
                    memory_of(one.detach())[...] = b
                return ""
    return f"engine {a.tolist()}, PyTorch {b.tolist()}"


def _array(tensor: Any) -> np.ndarray:
    """The elements in memory of their own: an array that shares a tensor's keeps its storage from being resized."""
    return tensor.detach().clone().numpy()


def check(lines: list[str]) -> tuple[int, str, str] | None:
    """The first line after which the sides differ, the kind and a text; None: none."""
    ours, theirs = Side(engine), Side(torch)
    for number, line in enumerate(lines):
        got, expected = ours.run(line), theirs.run(line)
        if expected == "NameError":
            return None
        if got != expected:
            return number, "error", f"engine {got or 'raises nothing'}, PyTorch {expected or 'raises nothing'}"
        if found := difference(ours, theirs):
            return number, *found
    return None


def drawn(seed: int) -> list[str]:
    """The lines of a program: 2 to 4 tensors, then 5 to 15 statements."""
    dice, lines, side = random.Random(seed), list[str](), Side(torch)
    kinds = ["made"] * dice.randint(2, 4) + dice.choices(list(WEIGHTS), list(WEIGHTS.values()), k=dice.randint(5, 15))
    for kind in kinds:
        for _ in range(DRAWS):
            line = _filled(dice, kind, len(lines), side.variables())
            if not line or side.run(line) and (kind == "made" or dice.random() > KEPT):
                continue
            lines.append(line)
            break
    return lines


def _filled(dice: random.Random, kind: str, number: int, variables: list[str]) -> str:
    """A statement with its blanks filled in; "" if it needs a tensor and there is none yet."""
    text = dice.choice(STATEMENTS[kind])
    is_statement = re.match(r"\{x\}(\[\{at\}\])? .?= ", text)
    while blank := re.search(r"\{(\w+)\}", text):
        name = blank[1]
        if name in "xyz":  # wherever it is, it is the same variable
            if not variables:
                return ""
            text = text.replace(blank[0], dice.choice(variables[-6:]))
            continue
        filler = _data(dice) if name == "data" else dice.choice(BLANKS[name])
        text = text[: blank.start()] + filler + text[blank.end() :]
    return text if is_statement else f"v{number} = {text}"


def _data(dice: random.Random) -> str:
    values = dice.choice((NUMBERS, SPECIAL))
    return f"[{', '.join(dice.choice(values) for _ in range(dice.choice((0, 1, 2, 3, 6, 9, 12))))}]"


def smallest(lines: list[str]) -> list[str]:
    """The program without the lines that its difference does not need."""
    found = check(lines)
    assert found
    lines = lines[: found[0] + 1]
    for number in reversed(range(len(lines) - 1)):
        fewer = lines[:number] + lines[number + 1 :]
        again = check(fewer)
        if again and again[1] == found[1]:
            lines = fewer
    return lines


def failure(seed: int) -> str | None:
    """The smallest program of a seed that differs, with the difference; None: nothing does, or `KNOWN` says why."""
    lines = drawn(seed)
    if not check(lines):
        return None
    lines = smallest(lines)
    number, kind, text = check(lines) or (len(lines) - 1, "values", "in some runs only")
    if any(re.search(pattern, f"{kind}: {lines[number]}") for pattern in KNOWN):
        return None
    return "\n".join([f"seed {seed}, {kind}: {text}", *(f"    {line}" for line in lines[: number + 1])])
