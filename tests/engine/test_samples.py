"""The samples of tensor classes: each rule gives what the dense tensor gives; where there is no rule they say so."""

import gc
import subprocess
import sys
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest

import engine as torch
from engine.transforms import nested, samples
from engine.transforms.samples import (
    BlockTree,
    Butterfly,
    Diagonal,
    EightBit,
    EinsumFactors,
    Factorized,
    LinearOperator,
    Logged,
    LowRank,
    Masked,
    Mesh,
    OnDisk,
    Sample,
    Sharded,
    flops,
)
from engine.transforms.samples.wrapper import MATRIX, densified, mapped, tensors_in


def numbers(*sizes):
    """A tensor of these sizes: the same elements each time, without pattern or zeros."""
    count = int(np.prod(sizes))
    return torch.from_numpy(np.sin(np.arange(1, count + 1) * 1.7).astype(np.float32)).view(sizes)


def tree(size):
    far = LowRank(numbers(size // 2, 1), numbers(1, size // 2))
    near = tree(size // 2) if size > 4 else numbers(2, 2)
    return BlockTree([[near, far], [far.t() * 2, near]])


def prefix_sums(size):
    return LinearOperator(
        lambda vector: vector.cumsum(0),
        lambda vector: vector.flip(0).cumsum(0).flip(0),
        (size, size),
        torch.empty(0),
    )


SAMPLES = {
    "diagonal": lambda: Diagonal(numbers(4)),
    "low rank": lambda: LowRank(numbers(5, 2), numbers(2, 5)),
    "low rank, wide": lambda: LowRank(numbers(3, 2), numbers(2, 6)),
    "factorized": lambda: Factorized([numbers(5, 3), Diagonal(numbers(3)), LowRank(numbers(3, 1), numbers(1, 4))]),
    "butterfly": lambda: Butterfly(numbers(3, 4, 2, 2), [1, 2, 4]),
    "block tree": lambda: tree(8),
    "linear operator": lambda: prefix_sums(5),
    "einsum, a matrix": lambda: EinsumFactors("ar,rs,bs->ab", [numbers(4, 2), numbers(2, 3), numbers(5, 3)]),
    "einsum, cp": lambda: EinsumFactors("ir,jr,kr->ijk", [numbers(3, 2), numbers(4, 2), numbers(5, 2)]),
    "einsum, tucker": lambda: EinsumFactors(
        "abc,ia,jb,kc->ijk", [numbers(2, 2, 2), *[numbers(n, 2) for n in (3, 4, 2)]]
    ),
    "eight bits": lambda: EightBit.quantize(numbers(6, 4)),
    "eight bits, transposed": lambda: EightBit.quantize(numbers(4, 6)).t(),
    "on disk": lambda: OnDisk.save(numbers(6, 4)),
    "sharded by rows": lambda: Sharded.shard(numbers(5, 4), 0, Mesh(2)),
    "sharded by columns": lambda: Sharded.shard(numbers(5, 4), 1, Mesh(3)),
}
CALLS = {
    "add": lambda s: s + s,
    "alias": lambda s: torch.ops.aten.alias(s),
    "clone": lambda s: s.clone(),
    "detach": lambda s: s.detach(),
    "diagonal": lambda s: s.diagonal(),
    "div": lambda s: s / 4,
    "embedding": lambda s: torch.nn.functional.embedding(torch.tensor([[2, 0], [1, 1]]), s),
    "exp": lambda s: s.exp(),
    "index_select": lambda s: s.index_select(0, torch.tensor([2, 0])),
    "mm": lambda s: s @ numbers(s.shape[1], 2),
    "mul": lambda s: s * 3,
    "mv": lambda s: s @ numbers(s.shape[1]),
    "neg": lambda s: -s,
    "permute": lambda s: s.permute(*reversed(range(s.dim()))),
    "permute back": lambda s: s.permute(*range(s.dim())),
    "raddmm": lambda s: torch.addmm(numbers(2), s, numbers(s.shape[1], 2)),
    "relu": lambda s: s.relu(),
    "rmm": lambda s: numbers(2, s.shape[0]) @ s,
    "rraddmm": lambda s: torch.nn.functional.linear(numbers(2, s.shape[1]), s, numbers(s.shape[0])),
    "select": lambda s: s[1],
    "sub": lambda s: s - 2,
    "sum": lambda s: s.sum(),
    "t": lambda s: s.t(),
    "trace": lambda s: s.trace(),
    "transpose": lambda s: s.mT,
    "transpose of one": lambda s: s.transpose(0, -2),
}
"""Calls that lead to rules: the first word is the rule's name."""


MATRICES = [name for name in SAMPLES if SAMPLES[name]().dim() == 2]
CASES = [
    (name, call)
    for name in SAMPLES
    for call in CALLS
    if call.split()[0] in SAMPLES[name]().table()
    and (name in MATRICES or call.split()[0] not in ("mm", "t", *MATRIX.keys() - {"permute", "transpose"}))
]


def close(one, other):
    one, other = densified(one).detach().numpy(), densified(other).detach().numpy()
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


@pytest.fixture(autouse=True)
def nothing_said_yet(monkeypatch):
    monkeypatch.setattr(Sample, "warned", set())


@pytest.fixture
def no_densifying():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_each_rule_has_a_call():
    rules = {name for make in SAMPLES.values() for name in make().table()}
    assert rules == {call.split()[0] for call in CALLS}


@pytest.mark.parametrize("kind", Sample.__subclasses__())
def test_a_field_hides_nothing_of_a_tensor(kind):
    names = {name for name in {**vars(Sample), **vars(kind)} if not name.startswith("_")} | {*kind.fields}
    assert names & {*dir(torch.Tensor)} <= ({"requires_grad_"} if kind is Masked else set())


@pytest.mark.usefixtures("no_densifying")
@pytest.mark.parametrize("name, call", CASES)
def test_a_rule_gives_what_the_dense_tensor_gives(name, call):
    sample = SAMPLES[name]()
    close(CALLS[call](sample), CALLS[call](sample.dense()))


WITHOUT_RULES = {
    "amax": lambda s: s.amax(0),
    "cat": lambda s: torch.cat([s, s]),
    "cumsum": lambda s: s.cumsum(1),
    "maximum": lambda s: torch.maximum(s, s),
    "mm and add, scaled": lambda s: torch.addmm(numbers(2), s, numbers(s.shape[1], 2), alpha=3),
    "sin": lambda s: s.sin(),
    "softmax": lambda s: s.softmax(1),
    "where": lambda s: torch.where(torch.ones(s.shape) > 0, s, s),
}
SAID = [name for name in MATRICES if name != "on disk"]


@pytest.mark.parametrize("call", WITHOUT_RULES)
@pytest.mark.parametrize("name", SAID)
def test_without_a_rule_the_dense_tensor_is_made_and_said_once(name, call):
    sample = SAMPLES[name]()
    kind = type(sample).__name__
    with pytest.warns(
        UserWarning, match=f"^{kind} has no rule for aten.*gets its dense tensor of {sample.nbytes} bytes"
    ):
        close(WITHOUT_RULES[call](sample), WITHOUT_RULES[call](sample.dense()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        WITHOUT_RULES[call](sample)


def test_the_dense_tensor_is_made_once_per_call(monkeypatch):
    made = []
    dense = Diagonal.dense
    monkeypatch.setattr(Diagonal, "dense", lambda self: made.append(self) or dense(self))
    sample = Diagonal(numbers(3))
    with pytest.warns(UserWarning, match="no rule for aten.cat"):
        torch.cat([sample, sample, sample])
    assert len(made) == 1


@pytest.mark.parametrize("name", SAMPLES)
def test_in_place_operators_and_out_refuse_a_sample(name):
    sample = SAMPLES[name]()
    before = sample.dense().clone()
    with pytest.raises(RuntimeError, match=r"aten.mul_.Tensor can't write to the elements of \w+, which keeps \w+"):
        sample.mul_(2)
    with pytest.raises(RuntimeError, match=r"aten.add.out can't write to the elements of"):
        torch.add(before, 1, out=sample)
    close(sample, before)


@pytest.mark.parametrize("name", SAID)
def test_a_view_is_of_a_copy(name):
    sample = SAMPLES[name]()
    before = sample.dense().clone()
    with pytest.warns(UserWarning, match="no rule for aten.view"):
        sample.view(-1).zero_()
    close(sample, before)


def test_a_plain_tensor_is_written_from_a_sample():
    sample, target = Diagonal(numbers(3)), torch.ones(3, 3)
    with pytest.warns(UserWarning, match="no rule for aten.add_"):
        target.add_(sample)
    close(target, sample.dense() + 1)


RECORDED = [name for name in MATRICES if name not in ("linear operator", "on disk")]


def with_leaves(values):
    """Values with leaves that require grad, if they can, instead of the tensors in them; and the leaves."""
    leaves = [one.detach().requires_grad_(one.is_floating_point()) for one in tensors_in(values)]
    rest = iter(leaves)
    return mapped(lambda _: next(rest), values), leaves


def backward_of_a_product(matrix_by):
    weight = numbers(matrix_by.shape[1], 3).requires_grad_()
    (matrix_by @ weight).backward(numbers(matrix_by.shape[0], 3))
    return weight.grad


@pytest.mark.usefixtures("no_densifying")
@pytest.mark.parametrize("name", RECORDED)
def test_fields_and_operands_get_the_gradients_of_the_dense_tensor(name):
    kind, given = type(SAMPLES[name]()), [getattr(SAMPLES[name](), field) for field in SAMPLES[name]().fields]
    (values, leaves), (others, expected) = with_leaves(given), with_leaves(densified(given))
    sample = kind(*values)
    assert sample.requires_grad and not sample.is_leaf
    close(backward_of_a_product(sample), backward_of_a_product(kind.of(others).dense()))
    for one, other in zip(leaves, expected, strict=True):
        if one.requires_grad:
            close(one.grad, other.grad)


@pytest.mark.usefixtures("no_densifying")
@pytest.mark.parametrize("name", MATRICES)
def test_a_sample_that_requires_grad_gets_a_dense_gradient(name):
    sample = SAMPLES[name]()
    dense = sample.dense().requires_grad_()
    close(backward_of_a_product(sample.requires_grad_()), backward_of_a_product(dense))
    assert type(sample.grad) is torch.Tensor
    close(sample.grad, dense.grad)


@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_sample_keeps_and_saves_is_said(name):
    sample = SAMPLES[name]()
    kept, whole = sample.nbytes_kept(), 4 * sample.numel()
    assert repr(sample) == f"{type(sample).__name__}({tuple(sample.shape)}, {kept} of {whole} bytes)"


def test_flops_are_those_of_the_products_that_are_done():
    sample = LowRank(numbers(64, 2), numbers(2, 32))
    assert flops(torch.mm, sample, numbers(32, 5)) == (2 * (2 * 32 * 5 + 64 * 2 * 5), 2 * 64 * 32 * 5)
    assert flops(torch.matmul, numbers(7, 64), Factorized([sample])) == (2 * (7 * 64 * 2 + 7 * 2 * 32), 2 * 7 * 64 * 32)


def test_a_logged_tensor_logs_forward_and_backward():
    log = []
    x = Logged(numbers(2, 3), log).requires_grad_()
    y = x @ numbers(3, 2)
    assert type(y) is Logged and log == ["aten.mm.default"]
    y.sum().backward()
    assert log[1:] == [f"aten.{name}.default" for name in ("sum", "ones_like", "expand", "mm", "detach")]


def test_a_logged_tensor_is_written_through():
    inside = numbers(3)
    x = Logged(inside, [])
    assert x.mul_(2) is x
    close(inside, numbers(3) * 2)


def test_sums_of_einsum_factors_leave_dimensions_out():
    cp = SAMPLES["einsum, cp"]()
    assert type(cp.sum(1)) is type(cp.sum((0, -1))) is EinsumFactors
    close(cp.sum(1), cp.dense().sum(1))
    close(cp.sum((0, -1)), cp.dense().sum((0, -1)))


@pytest.mark.parametrize("name", ["diagonal", "low rank", "factorized", "block tree"])
def test_a_product_with_zero_or_infinity_has_the_nans_of_the_dense_one(name):
    sample = SAMPLES[name]()
    with pytest.warns(UserWarning, match="no rule for aten.(div|mul).Tensor"):
        for change in (lambda one: one / 0, lambda one: one * float("inf"), lambda one: one * 0):
            close(change(sample), change(sample.dense()))


def test_eight_bits_are_off_by_half_a_step_of_their_row():
    matrix = numbers(6, 40) * torch.tensor([1, 1e-3, 1e3, 7, 0, 1])[:, None]
    sample = EightBit.quantize(matrix)
    assert sample.integers.abs().amax(1).tolist() == [127, 127, 127, 127, 0, 127]
    assert ((sample.dense() - matrix).abs() <= sample.scales * 0.5001).all()
    assert sample.t().t().integers.tolist() == sample.integers.tolist()


def test_eight_bits_of_one_column_have_a_scale_per_row_and_their_transpose_per_column():
    column = EightBit.quantize(numbers(3, 1))
    close(numbers(2, 1) @ column.t(), numbers(2, 1) @ column.dense().t())
    row = EightBit.quantize(numbers(1, 3)).t()
    close(torch.nn.functional.embedding(torch.tensor([2, 0]), row), row.dense()[[2, 0]])


def test_a_product_of_diagonals_is_a_diagonal():
    one, other = Diagonal(numbers(4)), Diagonal(numbers(4) + 1)
    assert type(one @ other) is Diagonal
    close(one @ other, one.dense() @ other.dense())


def test_a_linear_operator_without_its_transpose_makes_the_dense_one():
    sums = LinearOperator(lambda vector: vector.cumsum(0), None, (3, 3), torch.empty(0))
    with pytest.warns(UserWarning, match="LinearOperator has no rule for aten.t.default"):
        close(numbers(2, 3) @ sums, numbers(2, 3) @ sums.dense())


ELEMENTWISE = {
    "abs": lambda x: abs(x),
    "add": lambda x: x + x,
    "add a number": lambda x: x + 2,
    "div": lambda x: x / 2,
    "exp": lambda x: torch.exp(x) if isinstance(x, Masked) else np.ma.exp(x),
    "log": lambda x: torch.log(x * x) if isinstance(x, Masked) else np.ma.log(x * x),
    "mul": lambda x: x * x,
    "neg": lambda x: -x,
    "relu": lambda x: x.relu() if isinstance(x, Masked) else np.ma.maximum(x, 0),
    "sqrt": lambda x: (x * x).sqrt() if isinstance(x, Masked) else np.ma.sqrt(x * x),
    "sub": lambda x: x - (x * 3),
    "permute": lambda x: x.permute(1, 0) if isinstance(x, Masked) else x.transpose(1, 0),
    "select": lambda x: x[1],
    "slice": lambda x: x[1:, :2],
    "t": lambda x: x.t() if isinstance(x, Masked) else x.T,
    "transpose": lambda x: x.mT if isinstance(x, Masked) else x.T,
    "unsqueeze": lambda x: x[:, None],
    "view": lambda x: x.view(4, 3) if isinstance(x, Masked) else x.reshape(4, 3),
}
REDUCTIONS = {"amax": "max", "amin": "min", "max": "max", "mean": "mean", "min": "min", "prod": "prod", "sum": "sum"}


def masked():
    """A masked tensor, and NumPy's; a row of it has nothing masked, and none is masked whole."""
    values, mask = numbers(3, 4), numbers(3, 4) > -0.6
    return Masked(values, mask), np.ma.masked_array(values.numpy(), ~mask.numpy())


def test_all_rules_of_masked_are_tested():
    assert {*Masked.rules} == {call.split()[0] for call in ELEMENTWISE} | {*REDUCTIONS, "_softmax"}


@pytest.mark.usefixtures("no_densifying")
@pytest.mark.parametrize("call", ELEMENTWISE)
def test_masked_operators_give_what_those_of_numpy_give(call):
    ours, numpys = masked()
    found, expected = ELEMENTWISE[call](ours), ELEMENTWISE[call](numpys)
    close(found, torch.from_numpy(np.ascontiguousarray(expected.filled(0))))
    assert (found.mask.numpy() == ~np.ma.getmaskarray(expected)).all()


@pytest.mark.usefixtures("no_densifying")
@pytest.mark.parametrize("name", REDUCTIONS)
def test_masked_reductions_pass_by_what_is_masked(name):
    ours, numpys = masked()
    assert getattr(ours, name)().item() == pytest.approx(getattr(numpys, REDUCTIONS[name])(), rel=1e-5)
    rows = getattr(ours, name)(1)
    rows = rows[0] if name in ("max", "min") else rows
    np.testing.assert_allclose(rows.numpy(), getattr(numpys, REDUCTIONS[name])(1), rtol=1e-5)


@pytest.mark.usefixtures("no_densifying")
def test_masked_softmax_gives_nothing_to_what_is_masked():
    ours, numpys = masked()
    powers = np.ma.exp(numpys)
    close(ours.softmax(1), torch.from_numpy((powers / powers.sum(1, keepdims=True)).filled(0)))


def test_masked_records_nothing():
    values, mask = numbers(3).requires_grad_(), numbers(3) > 0
    with pytest.raises(RuntimeError, match="Masked has no gradients"):
        Masked(values, mask)
    with pytest.raises(RuntimeError, match="Masked has no gradients"):
        Masked(values.detach(), mask).requires_grad_()


def test_a_tensor_on_disk_is_read_by_each_operator_and_forgotten(monkeypatch):
    sample = OnDisk.save(numbers(300, 4))
    read, alive = samples.elsewhere.File.read, []

    def watched(self, *rows):
        found = read(self, *rows)
        alive.append(weakref.ref(found))
        return found

    monkeypatch.setattr(samples.elsewhere.File, "read", watched)
    assert sample.file.bytes_read == sample.nbytes_kept() == 0
    close(sample @ numbers(4, 2), numbers(300, 4) @ numbers(4, 2))
    assert sample.file.bytes_read == 300 * 4 * 4 and len(alive) == 2  # 256 rows, and the others
    close(sample + 1, numbers(300, 4) + 1)
    assert sample.file.bytes_read == 2 * 300 * 4 * 4
    gc.collect()
    assert [one() for one in alive] == [None] * 3


def test_rows_of_a_tensor_on_disk_are_read_alone():
    sample = OnDisk.save(numbers(300, 4))
    close(sample[7], numbers(300, 4)[7])
    close(sample.index_select(0, torch.tensor([3, 299])), numbers(300, 4)[torch.tensor([3, 299])])
    assert sample.file.bytes_read == 3 * 4 * 4


def test_the_file_is_removed_with_the_last_tensor_that_it_serves():
    sample = OnDisk.save(numbers(3))
    path, other = Path(sample.file.path), sample.detach()
    del sample
    gc.collect()
    close(other, numbers(3))
    del other
    gc.collect()
    assert not path.exists()


def counted(function, *axes):
    """The calls and bytes of collectives of a function of sharded 8 x 8 matrices, cut along these dimensions."""
    mesh = Mesh(4)
    given = [Sharded.shard(numbers(8, 8), axis, mesh) for axis in axes]
    result = function(*given)
    calls, moved = dict(mesh.calls), dict(mesh.bytes)
    close(result, function(*densified(given)))
    return calls, moved


WHOLE = 3 * 8 * 8 * 4  # bytes that three of four devices get of an 8 x 8 matrix
COLLECTIVES = {
    "rows @ whole": (lambda x: x @ numbers(8, 8), [0], {}),
    "whole @ columns": (lambda x: numbers(8, 8) @ x, [1], {}),
    "columns @ whole": (lambda x: x @ numbers(8, 8), [1], {"reduce_scatter": WHOLE}),
    "whole @ rows": (lambda x: numbers(8, 8) @ x, [0], {"reduce_scatter": WHOLE}),
    "columns @ rows": (lambda x, y: x @ y, [1, 0], {"reduce_scatter": WHOLE}),
    "rows @ rows": (lambda x, y: x @ y, [0, 0], {"all_gather": WHOLE}),
    "rows + rows": (lambda x, y: x + y, [0, 0], {}),
    "rows + columns": (lambda x, y: x + y, [0, 1], {"all_gather": WHOLE}),
    "rows + a row": (lambda x: x + numbers(8), [0], {}),
    "a network": (lambda x, y: (numbers(8, 8) @ x).relu() @ y, [1, 0], {"reduce_scatter": WHOLE}),
    "sum": (lambda x: x.sum(), [0], {"all_gather": 3 * 4 * 4}),
}


@pytest.mark.usefixtures("no_densifying")
@pytest.mark.parametrize("name", COLLECTIVES)
def test_sharded_tensors_count_their_collectives(name):
    function, axes, moved = COLLECTIVES[name]
    assert counted(function, *axes) == (dict.fromkeys(moved, 1), moved)


def test_without_a_rule_shards_are_gathered():
    with pytest.warns(UserWarning, match="Sharded has no rule for aten.amax"):
        assert counted(lambda x: x.amax(0), 1) == ({"all_gather": 1}, {"all_gather": WHOLE})


def test_sharded_with_a_larger_operand_is_gathered():
    with pytest.warns(UserWarning, match="Sharded has no rule for aten.add"):
        assert counted(lambda x: x + numbers(2, 8, 8), 1)[0] == {"all_gather": 1}


ON_PYTORCH = {
    "import engine as torch\n": "import torch\n",
    "from engine.transforms import nested, samples": "import samples",
    "engine.transforms.": "samples.",
    "samples.samples": "samples",
    "from engine.": "from torch.",
    "from ..tensor_impl": "from torch",
    "from .pytree": "from torch.utils._pytree",
}


@pytest.mark.usefixtures("pytorch")
def test_all_other_tests_here_pass_with_pytorch(tmp_path):
    (tmp_path / "samples").mkdir()
    paths = [*Path(samples.__file__).parent.glob("*.py"), Path(nested.__file__)]
    files = {path: tmp_path / "samples" / path.name for path in paths}
    for source, target in {**files, Path(__file__): tmp_path / "test_on_pytorch.py"}.items():
        text = source.read_text(encoding="utf-8").partition("\nON_PYTORCH =")[0]
        for here, there in ON_PYTORCH.items():
            text = text.replace(here, there)
        target.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_on_pytorch.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
