"""vmap takes, returns and refuses what PyTorch's does, with the same words, warnings and random numbers.

golden/vmap.txt has what PyTorch gives for each program. After a change of one, `python tests/engine/test_vmap.py`
writes the file anew.
"""

import functools
import importlib
import itertools
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.transforms import vmap as under_test

RECORDED = Path(__file__).parent / "golden" / "vmap.txt"
PROGRAMS = """
vmap(f)(x)
vmap(f, in_dims=1)(x)
vmap(f, in_dims=-1, out_dims=-1)(x)
vmap(f, in_dims=(0, None))(x, y)
vmap(f, in_dims=(None, 1), out_dims=1)(y[:2], x)
vmap(lambda d, s: d["a"] * s + d["b"][0], in_dims=({"a": 0, "b": [1]}, None))({"a": x, "b": [x]}, 2)
vmap(lambda a: {"sum": a.sum(), "both": (a, a * 2)}, out_dims={"sum": 0, "both": (1, 0)})(x)
vmap(lambda a: (a, 3, None), out_dims=(0, None, None))(x)
vmap(lambda a: [a, a], out_dims=1)(x)
vmap(f, out_dims=(1,))(x)
vmap(lambda a: y)(x)
vmap(lambda a: y, out_dims=None)(x)
vmap(lambda a: torch.ones(()))(x)
vmap(lambda a, k=1: a * k)(x, k=3)
vmap(f)(torch.ones(0, 3))
vmap(vmap(f))(x)
vmap(vmap(f, in_dims=1), in_dims=2)(z)
vmap(vmap(f, (0, None)), (None, 0))(y, y)
vmap(vmap(lambda a, b: a + b, (None, 0)), (0, None))(y, y)
vmap(lambda a: vmap(lambda b: a * b + y)(y))(y)
vmap(vmap(vmap(f)))(z)
vmap(grad(lambda a: (a * a).sum()))(x)
grad(lambda a: vmap(lambda b: (b * b).sum())(a).sum())(x)
vmap(grad(grad(lambda a: a ** 3)))(y)
vmap(f).__name__ + vmap(functools.partial(f, y)).__class__.__name__
vmap(lambda a: a.shape)(x)
vmap(lambda a: (str(a.shape), a.stride(), a.dtype, a.is_contiguous(), a.ndim, a.numel(), a.requires_grad), None)(x)
vmap(lambda a: (repr(a.size()), a.stride()), in_dims=1, out_dims=None)(x)
vmap(lambda a: str(torch._C._dispatch_keys(a)), out_dims=None)(x)
grad(lambda a: (a * a).sum(), has_aux=False)(y)
grad(lambda a: (a.sum(), str(torch._C._dispatch_keys(a))), has_aux=True)(y)
vmap(f, in_dims="0")(x)
vmap(f, in_dims=[0])(x)
vmap(f, in_dims=None)(x)
vmap(f, in_dims=(None,))(x)
vmap(f)()
vmap(f, in_dims=(0, 0))(x)
vmap(f, in_dims=({"a": 0},))([x])
vmap(f, in_dims=(0.5,))(x)
vmap(f)(3)
vmap(f, in_dims=(0, 0))(x, 3)
vmap(f, in_dims=2)(x)
vmap(f, in_dims=-3)(x)
vmap(f)(torch.ones(()))
vmap(f, in_dims=(0, 1))(x, x)
vmap(f)(x, x.T)
vmap(f, out_dims="0")(x)
vmap(f, out_dims=(0, "1"))(x)
vmap(f, out_dims=0.5)(x)
vmap(f, out_dims=(0, 0))(x)
vmap(lambda a: (a, a), out_dims=(0,))(x)
vmap(lambda a: (a, a), out_dims=(0, 0, 0))(x)
vmap(lambda a: {"b": a}, out_dims={"c": 0})(x)
vmap(f, out_dims=2)(x)
vmap(f, out_dims=-3)(x)
vmap(lambda a: y, out_dims=1)(x)
vmap(f, out_dims=None)(x)
vmap(lambda a: 3)(x)
vmap(lambda a: (a, "b"))(x)
vmap(functools.partial(f, y), in_dims=3)(x)
vmap(Callable())(3)
vmap(f, randomness="none")
vmap(f, chunk_size=0)
vmap(f, chunk_size=-1)
vmap(f, chunk_size=1)(x)
vmap(f, chunk_size=2)(torch.arange(15.).reshape(5, 3))
vmap(f, chunk_size=7)(x)
vmap(lambda a, b: (a * b, a.sum()), in_dims=(1, None), out_dims=(1, 0), chunk_size=2)(x, y[:2])
vmap(lambda a: a * torch.rand(3), chunk_size=2, randomness="different")(torch.ones(3, 3))
vmap(lambda a: a * torch.rand(3), chunk_size=2, randomness="same")(torch.ones(3, 3))
vmap(vmap(lambda a: torch.rand(2), randomness="same"), randomness="different")(x)
vmap(vmap(lambda a: torch.rand(2), randomness="different"), randomness="same")(x)
vmap(vmap(lambda a: torch.rand(2), randomness="different"), randomness="error")(x)
vmap(lambda a: a.nextafter_(y))(x.clone())
vmap(lambda a: y.clone().lerp_(a, a))(x)
vmap(lambda a: a.lerp_(y, y))(x.clone())
vmap(lambda a: torch.add(a, a, out=a))(x)
vmap(lambda a: y.lerp(y, y))(x)
warned(lambda: [vmap(lambda a: a.lerp_(y, y))(x.clone()) for _ in range(2)])
warned(lambda: vmap(vmap(lambda a: a.lerp_(y[0], y[0])))(x.clone()))
warned(lambda: vmap(lambda a: a.lerp_(y, y) + a.lerp_(y, y))(x.clone()))
kept(vmap(lambda a: keep(a) or a)(x)) + 1
str(kept(vmap(lambda a: keep(a) or a)(x)))
kept(grad(lambda a: (keep(a * 2) or a).sum())(y)) + 1
grad(lambda a: y.mul_(a).sum())(y)
grad(lambda a: y.view(1, 3).mul_(a).sum())(y)
grad(lambda a: (y * 1).mul_(a).sum())(y)
grad(lambda a: a.clone().mul_(y).sum())(y)
grad(lambda a: a.clone().view(1, 3).mul_(y).sum())(y)
grad(lambda a: torch.zeros(3).add_(a).sum())(y)
grad(lambda a: torch.tensor([1., 2., 3.]).mul_(a).sum())(y)
grad(lambda a: y.unbind()[0].mul_(a[0]))(y)
grad(lambda a: (a * 1).unbind()[0].mul_(a[0]))(y)
grad(lambda a: (a * 1).unsqueeze_(0).mul_(a).sum())(y)
grad(lambda a: y.clone().unsqueeze_(0).mul_(a).sum())(y)
grad(lambda a: y.unsqueeze_(0).mul_(a).sum())(y)
grad(lambda a: torch.add(a, a, out=a * 1).sum())(y)
grad(lambda a: (torch.add(y, y, out=y), a.sum())[1])(y)
vmap(lambda a: grad(lambda b: a.clone().mul_(b).sum())(a))(x)
vmap(lambda a: a.mul_(2))(x.clone())
vmap(lambda a: grad(lambda b: (a * b).sum())(a))(x)
vmap(lambda a: a.data)(x)
seen(lambda: vmap(lambda a: torch.nn.functional.dropout(a, 0.5), randomness="different")(x))
seen(lambda: vmap(lambda a: torch.nn.functional.dropout(a, 0.5), randomness="same")(x))
seen(lambda: vmap(lambda a: torch.feature_alpha_dropout(a[None], 0.5, True), randomness="different")(x))
seen(lambda: torch.nn.functional.binary_cross_entropy_with_logits(y, y, weight=y, pos_weight=y))
seen(lambda: vmap(lambda a: torch.nn.functional.binary_cross_entropy_with_logits(a, a, reduction="none"))(x))
""".strip().splitlines()
RANDOM = """
torch.rand(3)
torch.rand(3, generator=generator())
torch.randn(3)
torch.randn(3, dtype=torch.float64)
torch.randint(10, (3,))
torch.randint(2, 10, (3,), generator=generator())
torch.randperm(4)
torch.normal(0., 1., (3,))
torch.normal(t, 1.)
torch.normal(0., t)
torch.normal(t, u)
torch.bernoulli(t)
torch.bernoulli(t, 0.3)
torch.rand_like(t)
torch.randn_like(t)
torch.randint_like(t, 5)
torch.randint_like(t, 2, 5)
t.clone().normal_()
t.clone().uniform_()
t.clone().random_()
t.clone().random_(5)
t.clone().random_(2, 5)
t.clone().bernoulli_(0.3)
t.clone().bernoulli_(t)
t.clone().bernoulli_(u)
u.clone().bernoulli_(t)
torch.nn.functional.dropout(t, 0.4)
torch.nn.functional.dropout(t, 0.4, False)
torch.nn.functional.alpha_dropout(t, 0.4, True)
torch.feature_dropout(t[None], 0.4, True)
torch.feature_alpha_dropout(t[None], 0.4, True)
torch.native_dropout(t, 0.4, True)
torch.native_dropout(t, 0.4, False)
torch.rand(3, out=torch.empty(3))
torch.bernoulli(t, out=t)
torch.rand(2, 3) + t
torch.nn.functional.scaled_dot_product_attention(t[None], t[None], t[None], dropout_p=0.5)
torch.nn.init.normal_(t.clone())
torch.empty(3).normal_()
""".strip().splitlines()


class Callable:
    def __repr__(self):
        return "Callable()"


def shown(value: Any) -> str:
    """Return a result as text; floats with five digits."""
    if isinstance(value, (list, tuple)) and type(value).__name__ != "Size":
        return f"({', '.join(map(shown, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {shown(one)}' for key, one in value.items())}}}"
    if type(value).__name__ == "Tensor":
        elements = " ".join(f"{element:.5g}" for element in value.flatten().tolist())
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)} {elements}".strip()
    return " ".join(str(value).split())


def outcome(run: Any) -> str:
    """Return what a program gives, or its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            text = shown(run())
        except Exception as error:
            text = f"{type(error).__name__}: {' '.join(str(error).split())}"
    texts = [str(one.message).partition(" (Triggered internally")[0] for one in caught]
    text += "".join(f" | {text}" for text in texts)
    return re.sub(r"\bengine\.", "torch.", text)


def names_of(torch: Any) -> dict[str, Any]:
    """Return the names that programs use."""
    func = importlib.import_module(f"{torch.__name__}.func")
    torch.manual_seed(3)
    saved: list[Any] = []

    def f(a, b=None):
        return a * 2 if b is None else a + b

    def generator():
        made = torch.Generator()
        made.manual_seed(5)
        return made

    def warned(run):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            run()
        return [f"line {one.lineno} {str(one.message)[:95]}" for one in caught]

    def seen(run):
        calls: list[str] = []

        class Log(importlib.import_module(f"{torch.__name__}.utils._python_dispatch").TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                calls.append(str(func))
                return func(*args, **(kwargs or {}))

        with Log():
            return run(), calls

    return {
        "torch": torch, "seen": seen, "vmap": func.vmap, "grad": func.grad, "functools": functools,
        "Callable": Callable, "f": f,
        "x": torch.arange(6.0).reshape(2, 3), "y": torch.tensor([0.5, 1.5, 2.5]),
        "z": torch.arange(12.0).reshape(2, 3, 2), "keep": saved.append, "kept": lambda _: saved[0],
        "generator": generator, "warned": warned,
    }  # fmt: skip


def of_program(torch: Any, program: str) -> str:
    names = names_of(torch)
    return outcome(lambda: eval(program, names))


def of_random(torch: Any, program: str, batched: bool, randomness: str) -> str:
    names = names_of(torch)
    t, u = torch.full((2, 3), 0.25), torch.full((3,), 0.5)

    def draw(a, b):
        return eval(program, {**names, "t": a if batched else b, "u": u})

    return outcome(lambda: names["vmap"](draw, (0, None), 0, randomness)(t, t[0]))


def cases() -> dict[str, Any]:
    """Return each line of the golden file -> a function of `torch` that gives what follows it."""
    made = {program: functools.partial(of_program, program=program) for program in PROGRAMS}
    for program, batched, randomness in itertools.product(RANDOM, (True, False), ("error", "different", "same")):
        title = f"{program} # {'batched' if batched else 'unbatched'}, {randomness}"
        made[title] = functools.partial(of_random, program=program, batched=batched, randomness=randomness)
    return made


def recorded() -> dict[str, str]:
    lines = iter(RECORDED.read_text(encoding="utf-8").splitlines())
    return {line: next(lines).strip() for line in lines}


def test_every_program_is_recorded():
    assert list(recorded()) == list(cases())


@pytest.mark.parametrize("program", cases())
def test_a_program_gives_what_it_gives_with_pytorch(program):
    assert cases()[program](engine) == recorded()[program]


def test_a_function_with_kept_names_is_documented():
    mapped = under_test.vmap(under_test.vmap)
    assert (mapped.__name__, mapped.__doc__) == ("vmap", under_test.vmap.__doc__)


def record() -> None:
    import torch

    RECORDED.write_text("".join(f"{line}\n    {run(torch)}\n" for line, run in cases().items()), encoding="utf-8")


if __name__ == "__main__":
    record()
