"""engine._subclasses.fake_tensor: geometry, dtypes, devices and refusals are PyTorch's, and there are no elements."""

import contextlib
import copy
import logging

import pytest
from compare import needs_torch, torch
from engine._subclasses import FakeTensor, FakeTensorMode
from engine._subclasses.fake_tensor import UnsupportedOperatorException
from engine.utils._python_dispatch import TorchDispatchMode
from engine.utils.flop_counter import FlopCounterMode
from fake_cases import LEFT_OUT, REFUSALS, VALUES, modules, outcome

import engine
from engine import nn


def left_out(T):
    """Return what is not fake."""
    return T.ones(4), T.tensor(2.0), T.nn.Linear(3, 2), T.ones(4, requires_grad=True)[1:]


LEFT_OUT["engine"] = left_out(engine)


@pytest.fixture
def theirs():
    """PyTorch, which logs what fake tensors refuse."""
    LEFT_OUT["torch"] = left_out(torch)
    logging.disable(logging.CRITICAL)
    yield torch
    logging.disable(logging.NOTSET)


@needs_torch
@pytest.mark.parametrize("name", VALUES)
def test_results_are_pytorchs(name, theirs):
    assert outcome(engine, VALUES[name]) == outcome(theirs, VALUES[name])


@pytest.mark.parametrize(("case", "refusal"), REFUSALS.values(), ids=REFUSALS)
def test_what_is_not_known_is_refused(case, refusal):
    assert outcome(engine, case).startswith(refusal)


@needs_torch
@pytest.mark.parametrize(("case", "refusal"), REFUSALS.values(), ids=REFUSALS)
def test_the_refusals_are_pytorchs(case, refusal, theirs):
    assert outcome(theirs, case).startswith(refusal)


RECORDED = {
    "modes": [["Tensor", False, None], True, True],
    "copies": [
        ("FakeTensor", (2, 3), (3, 1), 0, "torch.float32", "cpu", True),
        ("FakeTensor", (2, 2), (2, 1), 0, "torch.float32", "cpu", True), "FakeTensor", False,
    ],
    "a view": [("FakeTensor", (3,), (1,), 1, "torch.float32", "cpu", True), True, False, "meta"],
    "chosen": [
        ("FakeTensor", (3, 4), (4, 1), 0, f"torch.{dtype}", "cpu", False) for dtype in ("float32", "float32", "float64")
    ],
    "numbers": [6.0, ("FakeTensor", (), (), 0, "torch.float32", "cpu", False)],
    "gradients": [("FakeTensor", (4, 5), (5, 1), 0, "torch.float32", "cpu", rg) for rg in (False, True)],
    "out": [True, ("FakeTensor", (3, 4), (4, 1), 0, "torch.float32", "cpu", False)],
    "writes": [True, 1, 1, True, ("FakeTensor", (4, 3), (1, 4), 0, "torch.float32", "cpu", False), True],
    "printed": [
        "FakeTensor(..., size=(3, 4))", "FakeTensor(..., size=(3, 4), dtype=torch.bool)",
        "FakeTensor(..., device='cuda:0', size=(2,))", "FakeTensor(..., size=())",
        "FakeTensor(..., size=(2,), requires_grad=True)", "FakeTensor(..., size=(), grad_fn=<SumBackward0>)",
        "FakeTensor(..., size=(2,), dtype=torch.int64)",
    ],
}  # fmt: skip
"""Of PyTorch 2.13."""


@pytest.mark.parametrize("name", RECORDED)
def test_results_are_those_recorded_from_pytorch(name):
    assert outcome(engine, VALUES[name]) == RECORDED[name]


@needs_torch
@pytest.mark.parametrize("name", RECORDED)
def test_the_recorded_results_are_pytorchs(name, theirs):
    assert outcome(theirs, VALUES[name]) == RECORDED[name]


def test_the_modules_are_there_by_pytorchs_names():
    assert engine._subclasses.fake_tensor.FakeTensorMode is engine._subclasses.FakeTensorMode is FakeTensorMode


@pytest.fixture
def mode():
    return FakeTensorMode()


def test_a_tensor_has_one_fake_and_views_share_a_storage(mode):
    x = engine.ones(4, 4)
    fake, part = mode.from_tensor(x), mode.from_tensor(x[1:, 1:])
    assert mode.from_tensor(x) is fake
    assert part.untyped_storage() is fake.untyped_storage()
    assert (part.storage_offset(), part.stride()) == (5, (4, 1))


def test_a_parameter_and_its_gradient_have_fakes(mode):
    parameter = nn.Parameter(engine.ones(2))
    parameter.grad = engine.ones(2)
    fake = mode.from_tensor(parameter)
    assert isinstance(fake, nn.Parameter) and fake.requires_grad and fake.is_leaf
    assert fake.grad is mode.from_tensor(parameter.grad)


def test_operators_of_fakes_need_no_mode(mode):
    x = mode.from_tensor(engine.ones(3, 4))
    assert type(x + 1) is type(x @ x.t()) is FakeTensor
    assert type(engine.zeros(2)) is engine.Tensor


def test_other_tensors_are_taken_where_they_are_allowed():
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert type(engine.zeros(4) + LEFT_OUT["engine"][0]) is FakeTensor


def test_a_mode_is_below_all_others_and_may_be_entered_in_itself(mode):
    seen = []

    class Log(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append((str(func), *(type(one).__name__ for one in args)))
            return func(*args, **(kwargs or {}))

    x = mode.from_tensor(engine.ones(2))
    for blocks in ((mode, Log()), (Log(), mode), (Log(),)):
        with contextlib.ExitStack() as stack:
            for block in blocks:
                stack.enter_context(block)
            x + 1
    assert seen == [("aten.add.Tensor", "FakeTensor", "int")] * 3


def test_the_mode_entered_last_is_the_one(mode):
    other = FakeTensorMode()
    with mode:
        with other, other:
            assert engine.zeros(2).fake_mode is other
        with mode:
            pass
        assert engine.zeros(2).fake_mode is mode
    assert type(engine.zeros(2)) is engine.Tensor


def test_inference_mode_makes_inference_tensors(mode):
    with engine.inference_mode(), mode:
        x = nn.functional.linear(engine.zeros(3, 4), engine.zeros(2, 4))
        assert type(x) is FakeTensor and x.shape == (3, 2) and x.is_inference()


def test_constants_compute_until_something_unknown_is_written(mode):
    number = FakeTensor(mode, engine.empty((), device="meta"), "cpu", constant=engine.tensor(3.0))
    with mode:
        assert ((number * 2).item(), number.view(1).tolist(), number.add_(1).item()) == (6.0, [3.0], 4.0)
        number.add_(engine.rand(()))
    assert number.constant is None


def test_a_copy_of_a_network_is_fake(mode):
    with mode:
        net = copy.deepcopy(nn.Linear(3, 2, device="cuda"))
    assert isinstance(net.weight, nn.Parameter) and type(net.weight) is FakeTensor
    assert net.weight.device == engine.device("cuda:0")


def test_a_network_moves_and_changes_its_dtype(mode):
    with mode:
        net = nn.Linear(3, 2).to("cuda").double()
        out = net(engine.zeros(4, 3, device="cuda", dtype=engine.float64))
    assert (out.device, out.dtype, out.shape) == (engine.device("cuda:0"), engine.float64, (4, 2))


def test_a_fake_is_made_of_a_meta_tensor_only(mode):
    assert FakeTensor(mode, engine.empty(2, device="meta"), "cuda").device == engine.device("cuda:0")
    with pytest.raises(AssertionError, match=r"elem\.device\.type must be 'meta', got cpu"):
        FakeTensor(mode, engine.empty(2), "cpu")


def test_an_operator_without_a_kernel_for_meta_tensors_is_refused(mode):
    library = engine.library.Library("fake_test", "DEF")
    library.define("double(Tensor x) -> Tensor")
    library.impl("double", lambda x: x * 2, "CPU")
    with pytest.raises(UnsupportedOperatorException, match=r"fake_test\.double\.default"):
        engine.ops.fake_test.double(mode.from_tensor(engine.ones(2)))
    library._destroy()


def test_what_does_not_fit_into_memory_is_checked_and_counted(mode):
    with mode, FlopCounterMode(display=False) as counter:
        product = engine.zeros(100_000, 100_000) @ engine.zeros(100_000, 100_000)
    assert (product.shape, counter.get_total_flops()) == ((100_000, 100_000), 2 * 10**15)


def page_of_fake_tensors(T):
    """A program in the spirit of PyTorch's page on fake tensors: which batch fits beside a network on a GPU?"""
    nn, mode = T.nn, modules(T).FakeTensorMode()
    sums = []
    for batch in (16, 4096):
        with mode:
            net = nn.Sequential(nn.Linear(4096, 16384, device="cpu"), nn.ReLU(), nn.Linear(16384, 4096))
            images = T.empty(batch, 4096)
            loss = (net(images) - images).pow(2).mean()
            loss.backward()
        held = [*net.parameters(), *(parameter.grad for parameter in net.parameters()), images]
        sums.append((tuple(loss.shape), str(loss.device), sum(x.untyped_storage().nbytes() for x in held)))
    try:
        loss.item()
    except RuntimeError as error:
        sums.append((type(error).__name__, str(error)))
    return sums


RECORDED_PAGE = [
    ((), "cpu", 1_074_167_808),
    ((), "cpu", 1_141_014_528),
    ("DataDependentOutputException", "aten._local_scalar_dense.default"),
]


def test_the_program_of_the_page_gives_what_was_recorded():
    assert page_of_fake_tensors(engine) == RECORDED_PAGE


@needs_torch
def test_the_recorded_page_is_pytorchs(theirs):
    assert page_of_fake_tensors(theirs) == RECORDED_PAGE
