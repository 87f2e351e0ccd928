"""The stubs are fresh and complete, and a type checker tells right programs from wrong ones by them."""

import ast
import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine.utils import module_aliases
from engine.utils.pyi import __main__ as command
from engine.utils.pyi import stubs

PACKAGE = Path(engine.__file__).parent

RIGHT = """
import engine as torch
import engine.nn.functional as F
from engine import nn, optim

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y: torch.Tensor = 2 / (x.view(2, 2) + 1) - x @ x.t()
zeros = torch.zeros((2, 3), dtype=torch.float64, device="cpu").reshape(-1)
values, indices = x.max(dim=1)
best: torch.Tensor = x.max(dim=1).values
count: int = x.size(0) + x.shape[1] + len(x) + x.numel()
size: torch.Size = x.size()
first = x[0, 1:, None, ...]
x.data[x > 1] = 0.0
mask = (x > 0) & (y < 1)
joined = torch.cat([x, y], dim=0).split(1)
swapped = torch.stack((x, y)).permute(1, 0, 2).contiguous()
chosen = torch.where(x > 0, x, 0.0)
limited = torch.clamp(x, min=0)
kind: torch.dtype = torch.bool
drawn = torch.rand(3, generator=torch.Generator().manual_seed(3))
norms = [row.norm() for row in x]
x.grad = None
x.requires_grad = True


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.linear = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.avg_pool2d(F.relu(self.conv(x)), 2)
        return self.linear(x.flatten(1).mean(1, keepdim=True).expand(-1, 4))


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


net = Net()
optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
loss = F.cross_entropy(net(torch.randn(8, 1, 4, 4)), torch.randint(0, 2, (8,)))
optimizer.zero_grad()
loss.backward()
optimizer.step()
with torch.no_grad():
    for parameter in net.parameters():
        if parameter.grad is not None:
            parameter -= 0.1 * parameter.grad
(gradient,) = torch.autograd.grad(x.sum(), [x])
handle = x.register_hook(lambda grad: grad * 2)
with torch.profiler.profile() as prof:
    Double.apply(x.add_(1))
saved = torch.draw.storage(x).save("x.svg")
version: str = torch.__version__
called = torch.ops.aten.add.Tensor(x, x)
"""

WRONG = """
import engine as torch
x = torch.tensor([1.0])
torch.tensor([1.0], dtpye=torch.float32)
x.viww(2)
torch.viww(x)
x.view("2")
torch.add(x, "1")
x.sum(dim="0")
torch.zeros(2, dtype="float")
number: int = x + 1
x.add_(1).foo
x.max(0).valeus
torch.nn.functional.conv2d(x)
"""


def names_in(stub: str) -> set[str]:
    """Names that a stub defines or imports, at the top and in its class."""
    tree = ast.parse((PACKAGE / stub).read_text(encoding="utf-8"))
    inside = [node for item in tree.body if isinstance(item, ast.ClassDef) for node in item.body]
    return {name for node in [*tree.body, *inside] for name in _defined(node)}


def _defined(node):
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def public(names) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def test_the_stubs_are_what_the_tables_give():
    assert engine.amp  # what has a name of PyTorch's only, and was asked for, has no place in them
    assert [path.name for path in stubs.changed()] == [], "run `make stubs`"


def test_every_stub_can_be_parsed():
    for path in PACKAGE.rglob("*.pyi"):
        ast.parse(path.read_text(encoding="utf-8"))


def test_every_stub_has_its_maker():
    assert {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.pyi")} == set(stubs.stubs())


def test_a_stub_that_is_out_of_date_is_named_and_left_alone(monkeypatch, tmp_path, capsys):
    stale = tmp_path / "engine" / "x.pyi"
    stale.parent.mkdir()
    stale.write_text("old")
    monkeypatch.setattr(stubs, "PACKAGE", stale.parent)
    monkeypatch.setattr(stubs, "stubs", lambda: {"x.pyi": "new"})
    assert (command.main(["--check"]), stale.read_text()) == (1, "old")
    assert "engine/x.pyi" in capsys.readouterr().out
    assert (command.main([]), stale.read_text()) == (0, "new")
    assert command.main(["--check"]) == 0


def test_the_package_has_the_names_of_its_stub():
    assert public(dir(engine)) - module_aliases.names_in("").keys() == public(names_in("__init__.pyi"))


def test_tensor_has_the_names_of_its_stub_and_of_its_class():
    tree = ast.parse((PACKAGE / "tensor_impl.py").read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Tensor")
    written = {name for node in body for name in _defined(node)}
    operators = {name for name in vars(engine.Tensor) if name.startswith("__") and not hasattr(object, name)}
    python = {"__slots__", "__module__", "__weakref__", "__annotations__", "__static_attributes__", "__firstlineno__"}
    stub = names_in("_tensor_base.pyi") | written
    assert public(dir(engine.Tensor)) - stub == operators - python - stub == set()
    assert {name for name in names_in("_tensor_base.pyi") if not hasattr(engine.Tensor, name)} <= _aliases()


def _aliases() -> set[str]:
    """Names that the stub imports and defines for itself."""
    tree = ast.parse((PACKAGE / "_tensor_base.pyi").read_text(encoding="utf-8"))
    return {name for node in tree.body for name in _defined(node)}


@pytest.mark.parametrize("name", ["autograd", "cuda", "draw", "profiler", "utils"])
def test_a_package_with_lazy_names_lists_them(name):
    package = getattr(engine, name)
    assert public(names_in(f"{name}/__init__.pyi")) <= set(dir(package))


def test_operators_namespaces_and_overloads_are_listed():
    assert "aten" in dir(engine.ops)
    assert {"Tensor", "out", "overloads"} <= set(dir(engine.ops.aten.add))


def test_a_module_that_import_engine_leaves_out_comes_when_it_is_asked_for():
    program = (
        "import sys, engine; assert 'engine.memory_trace' not in sys.modules and 'memory_trace' in dir(engine);"
        "print(engine.memory_trace.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert done.stdout == "engine.memory_trace\n", done.stderr
    with pytest.raises(AttributeError, match="module 'engine' has no attribute 'viww'"):
        engine.viww  # noqa: B018


def test_the_version_is_the_installed_one():
    assert engine.__version__ == importlib.metadata.version("inside-the-tensor")


def checked(program: str, folder: Path) -> list[str]:
    """The errors that mypy reports in a program, not in the engine."""
    (folder / "program.py").write_text(program, encoding="utf-8")
    line = [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent", "program.py"]
    cache = PACKAGE.parent / ".mypy_cache" / "programs"
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent), "MYPY_CACHE_DIR": str(cache)}
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True)
    return [row for row in done.stdout.splitlines() if ": error: " in row] + done.stderr.splitlines()


@pytest.mark.slow
def test_a_type_checker_finds_nothing_in_a_right_program_and_every_mistake_in_a_wrong_one(tmp_path):
    pytest.importorskip("mypy", reason="not run: mypy is not installed")
    assert checked(RIGHT, tmp_path) == []
    reported = {int(row.split(":")[1]) for row in checked(WRONG, tmp_path)}
    assert reported == set(range(4, WRONG.count("\n") + 1))
