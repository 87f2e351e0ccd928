"""Functionalization: programs call the operators below it that they call with PyTorch, and return and write the same.

functional_programs.txt has the programs. golden/functionalize.txt has what each does with PyTorch: the operators that
a mode sees, then what it returns or raises, what it writes to its arguments, and warnings. After a change of a program,
`python tests/engine/test_functionalize.py` writes that file anew.
"""

import importlib
import re
import warnings
from pathlib import Path
from random import Random
from typing import Any

import pytest
from engine.func import functionalize

import engine
from engine.dispatch import registry
from engine.dispatch.keys import DispatchKey
from engine.dispatch.local import local
from engine.transforms import functional_kernels, view_inverses
from engine.transforms.interpreters import layers

HERE = Path(__file__).parent
RECORDED = HERE / "golden" / "functionalize.txt"
SETUP = "x = torch.arange(12, dtype=torch.float32).reshape(3, 4) / 7; y = torch.ones(3, 4)"
WHERE = re.compile(r".* INTERNAL ASSERT FAILED at .*, please report a bug to PyTorch\. | \(Triggered internally at .*")
VIEWS = re.compile(rf"^(    aten\.)({'|'.join({name.partition('.')[0] for name in view_inverses.INVERSES})})\.")
RULES = "a batching rule, or the loop, calls other operators"
DIFFERENT = {
    "a write of another category": "PyTorch checks add_ and sub_ with functions in Python that have texts of their own",
    "functionalize of functionalize": "PyTorch stops with an assertion",
    "functionalize of grad": "clone gets no memory format",
    "functionalize of vmap of grad": RULES,
    "view as another dtype": "PyTorch detaches a view that is not differentiable",
    "vmap of functionalize": RULES,
    "vmap of functionalize, unbatched written with batched": RULES,
    "vmap of grad of functionalize": RULES,
}
"""Program -> why its operators or the text of its error are not PyTorch's."""


def blocks(path: Path) -> dict[str, str]:
    """Return title -> text of the blocks of a file, each of which begins with a line "program <title>"."""
    parts = re.split("^program ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {title: text.strip("\n") for title, _, text in (part.partition("\n") for part in parts if part)}


def shown(value: Any, elements: bool = True) -> str:
    """Return a value as text: a tensor as its dtype and sizes, and its elements."""
    if hasattr(value, "tolist"):
        kind = f"{str(value.dtype).partition('.')[2]}{list(value.shape)}"
        return f"{kind} {shown(value.tolist())}" if elements else kind
    if isinstance(value, dict):
        return str({key: shown(one, elements) for key, one in value.items()})
    if isinstance(value, (list, tuple)):
        return f"[{', '.join([shown(one, elements) for one in value])}]"
    return f"{value:.5g}" if isinstance(value, float) else repr(value)


def observed(package: str, program: str, remove: str) -> list[str]:
    """Return the calls that a mode sees while a program runs functionalized, and what comes of it."""
    torch: Any = importlib.import_module(package)
    base: Any = importlib.import_module(f"{package}.utils._python_dispatch").TorchDispatchMode
    transform = importlib.import_module(f"{package}.func").functionalize
    lines: list[str] = []

    class Writes(base):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            named = [f"{name}={shown(value, False)}" for name, value in (kwargs or {}).items()]
            lines.append(f"{func}({', '.join([*(shown(value, False) for value in args), *named])})")
            return func(*args, **(kwargs or {}))

    scope: dict[str, Any] = {"torch": torch}
    exec(SETUP, scope)
    exec(program, scope)
    run = scope.get("run", lambda T: T(scope["f"])(scope["x"], scope["y"]))
    before = shown([scope["x"], scope["y"]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with Writes():
                result = run(lambda f: transform(f, remove=remove))
            lines.append(f"returns {shown(result)}")
        except Exception as error:
            lines.append(f"raises {type(error).__name__}: {WHERE.sub('', str(error).splitlines()[0])}")
    after = shown([scope["x"], scope["y"]])
    lines += [f"writes {after}"] if after != before else []
    lines += [f"warns {WHERE.sub('', str(one.message).splitlines()[0])}" for one in caught]
    return [f"    {line}" for line in lines]


def with_copies(lines: list[str]) -> list[str]:
    """Return the calls of a program with the operators that copy instead of views."""
    return [VIEWS.sub(r"\1\2_copy.", line) for line in lines]


def recorded(title: str) -> dict[str, list[str]]:
    """Return what a program does with PyTorch, for each `remove`; views that became copies are not written down."""
    lines = blocks(RECORDED)[title].splitlines()
    end = lines.index("copies") if "copies" in lines else len(lines)
    return {"mutations": lines[:end], "mutations_and_views": lines[end + 1 :] or with_copies(lines[:end])}


def results(lines: list[str]) -> list[str]:
    """Return what comes of a program: what it returns and writes, or the type of its error."""
    kept = [line for line in lines if not line.startswith(("    aten.", "    warns "))]
    return [re.sub("(raises [A-Za-z]*: ).*", r"\1", line) for line in kept]


PROGRAMS = blocks(HERE / "functional_programs.txt")


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
@pytest.mark.parametrize("title", PROGRAMS)
def test_a_functionalized_program_does_what_it_does_with_pytorch(title, remove):
    made, expected = observed("engine", PROGRAMS[title], remove), recorded(title)[remove]
    assert results(made) == results(expected)
    assert made == expected or title in DIFFERENT


# ---- the tables, against all operators


def entries(condition: Any) -> dict[str, Any]:
    """Return name -> operator for all of aten that are not made of others and satisfy a condition."""
    return {
        entry.name.removeprefix("aten::"): entry
        for entry in [*registry.operators.values()]
        if entry.name.startswith("aten::") and entry.schema is not None
        if DispatchKey.CompositeImplicitAutograd not in entry.registered and condition(entry.schema)
    }


def test_every_view_has_an_inverse_and_an_operator_that_copies():
    views = entries(lambda schema: schema.is_view and not schema.is_mutable)
    inverses = {**view_inverses.INVERSES, **view_inverses.INVERSES_OF_PARTS}
    assert views.keys() - {"lift_fresh"} == inverses.keys() - {"_unsafe_view"}
    for name, entry in views.items():
        base, dot, overload = name.partition(".")
        copy = registry.find(f"aten::{base}_copy{dot}{overload}").schema
        assert [argument.type for argument in copy.arguments] == [argument.type for argument in entry.schema.arguments]
        assert not copy.is_view and "view_copy" in registry.find(str(copy.name)).tags


def test_every_write_has_an_operator_that_returns_the_same():
    without = {"_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_", "_cummax_helper", "_cummin_helper",
               "_native_batch_norm_legit"}  # fmt: skip
    missing = set()
    for name, entry in entries(lambda schema: schema.is_mutable).items():
        try:
            functional_kernels.functional_of(entry)
        except RuntimeError:
            missing.add(name)
    assert missing == without


# ---- what programs do not show


def test_outside_of_the_function_its_tensors_are_the_callers():
    x = engine.ones(3)
    made = functionalize(lambda x: (x, x * 2))(x)
    assert made[0] is x and type(made[1]) is engine.Tensor


def test_the_state_of_the_thread_is_restored_after_an_error():
    before = local.state
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        functionalize(lambda x: x[0].clone().add_(x))(engine.ones(2, 2))
    assert local.state is before and not layers.stack


def test_a_tensor_that_leaves_the_function_otherwise_stays_a_functional_one():
    kept = []
    functionalize(lambda x: kept.append(x + 1))(engine.ones(2))
    assert type(kept[0]).__name__ == "FunctionalTensor" and "2., 2." in repr(kept[0])
    kept[0][0].mul_(5)
    assert (kept[0] + 1).sum().item() == 14


def test_views_and_writes_of_random_programs_give_what_they_give_without_functionalization():
    views = ("z[1:]", "z.t()", "z[0]", "z[:, 1]", "z.view(-1)", "z.unsqueeze(1)", "z.diagonal()", "z.transpose(0, -1)",
             "z.chunk(2)[-1]", "z.unbind()[0]", "z.flatten()", "z.squeeze()")  # fmt: skip
    writes = ("z.add_(1)", "z.mul_(2)", "z.neg_()", "z.zero_()", "z.copy_(z * 3)", "z.clamp_(max=4)")
    random = Random(0)
    ran = 0
    for _ in range(120):
        lines = ["base = x * 1", "seen = [base]"]
        for _ in range(random.randint(2, 7)):
            lines.append(f"z = seen[{random.randint(0, 9)} % len(seen)]")
            lines.append(f"seen.append({random.choice(views)})" if random.random() < 0.5 else random.choice(writes))
        scope: dict[str, Any] = {}
        exec("def f(x):\n" + "".join(f"    {line}\n" for line in lines) + "    return seen", scope)
        x = engine.arange(12.0).reshape(3, 4)
        try:
            expected = [one.tolist() for one in scope["f"](x)]
        except (RuntimeError, IndexError, ValueError):
            continue  # no such view, or a write to elements that share memory
        for remove in ("mutations", "mutations_and_views"):
            try:
                made = [one.tolist() for one in functionalize(scope["f"], remove=remove)(x)]
            except RuntimeError as error:
                assert "view size is not compatible" in str(error), "\n".join(lines)
                continue
            assert made == expected, "\n".join(lines)
            ran += 1
    assert ran > 100


if __name__ == "__main__":
    with RECORDED.open("w", encoding="utf-8") as file:
        for title, program in PROGRAMS.items():
            plain, copied = (observed("torch", program, remove) for remove in ("mutations", "mutations_and_views"))
            file.write(f"program {title}\n" + "\n".join(plain) + "\n")
            if copied != with_copies(plain):
                file.write("copies\n" + "\n".join(copied) + "\n")
