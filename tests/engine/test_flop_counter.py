"""engine.utils.flop_counter: FLOPs by operator and module, as PyTorch counts and prints them."""

import importlib
import warnings

import pytest
from compare import needs_torch, torch
from engine.utils.flop_counter import FlopCounterMode, conv_backward_flop, conv_flop_count, register_flop_formula

import engine


def leaf(T, *sizes):
    return T.ones(*sizes, requires_grad=True)


def trained(T, module, *inputs):
    """Forward and backward."""
    return module(*inputs).sum().backward()


def network(T):
    """The convolutional network of the design, for images of 8 by 8."""
    return T.nn.Sequential(T.nn.Conv2d(1, 4, 3), T.nn.ReLU(), T.nn.MaxPool2d(2), T.nn.Flatten(), T.nn.Linear(36, 10))


def network_and_batches(T):
    trained(T, network(T), leaf(T, 8, 1, 8, 8))
    T.bmm(T.ones(2, 3, 4), T.ones(2, 4, 5))


def two_passes(T):
    net = network(T)
    trained(T, net, T.ones(8, 1, 8, 8))
    T.mm(T.ones(2, 3), T.ones(3, 4))
    trained(T, net, T.ones(8, 1, 8, 8))


def without_autograd(T):
    with T.inference_mode():
        network(T)(T.ones(8, 1, 8, 8))


def products(T):
    one, rows = T.ones(2, 3), T.ones(2, 3, 4)
    return (
        one @ T.ones(3, 4), T.bmm(rows, T.ones(2, 4, 5)), T.baddbmm(T.ones(2, 3, 5), rows, T.ones(2, 4, 5)),
        T.addmm(T.ones(5), one, T.ones(3, 5)), T.mv(one, T.ones(3)), T.dot(T.ones(3), T.ones(3)),
        T.ones(2, 1, 3, 4) @ T.ones(5, 4, 6), T.einsum("bij,bjk->bik", rows, T.ones(2, 4, 5)),
        T.ones(3) @ T.ones(3, 4), T.zeros(0, 3) @ T.ones(3, 2),
    )  # fmt: skip


def convolution(kind, groups):
    def program(T):
        sizes = (6, 9) if kind.endswith("1d") else (6, 9, 9)
        weight = (4, 6 // groups) if "transpose" not in kind else (6, 4 // groups)
        given = leaf(T, 2, *sizes), leaf(T, *weight, *[3] * (len(sizes) - 1))
        getattr(T.nn.functional, kind)(*given, stride=2, padding=1, groups=groups).sum().backward()

    return program


def attention(T):
    query = leaf(T, 2, 4, 8, 16)
    T.nn.functional.scaled_dot_product_attention(query, query, query).sum().backward()


def attention_with_dropout(T):
    query = leaf(T, 2, 4, 8, 16)
    T.nn.functional.scaled_dot_product_attention(query, query, query, dropout_p=0.5).sum().backward()


def transformer(T):
    nn = T.nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.qkv, self.out, self.norm = nn.Linear(width, 3 * width), nn.Linear(width, width), nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width))

        def forward(self, x):
            query, key, value = self.qkv(self.norm(x)).chunk(3, -1)
            x = x + self.out((query @ key.transpose(-1, -2)).softmax(-1) @ value)
            return x + self.mlp(x)

    net = nn.Sequential(nn.Embedding(20, 16), Block(16), Block(16), nn.Linear(16, 20))
    words = T.arange(20).view(2, 10)
    optimizer = T.optim.SGD(net.parameters(), lr=0.1)
    T.nn.functional.cross_entropy(net(words).view(-1, 20), words.view(-1)).backward()
    optimizer.step()


def two_results(T):
    class Two(T.nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.other = T.nn.Linear(3, 3), T.nn.Linear(3, 2)

        def forward(self, x, y):
            return self.one(x), self.other(x + y)

    net = Two()
    net(leaf(T, 4, 3), leaf(T, 4, 3))[0].sum().backward()
    sum(result.sum() for result in net(leaf(T, 4, 3), T.ones(4, 3))).backward()


def one_layer_twice(T):
    layer = T.nn.Linear(3, 3)
    layer(layer(leaf(T, 4, 3))).sum().backward()


def second_derivatives(T):
    x = leaf(T, 5, 5)
    (first,) = T.autograd.grad((x @ x @ x).sum(), x, create_graph=True)
    T.autograd.grad(first.sum(), x)


CASES = {
    network_and_batches: 79_728, two_passes: 117_552, without_autograd: 26_496, products: 2_292,
    convolution("conv1d", 1): 4_320, convolution("conv1d", 2): 2_880,
    convolution("conv2d", 1): 64_800, convolution("conv2d", 2): 43_200,
    convolution("conv_transpose2d", 1): 209_952, convolution("conv_transpose2d", 2): 139_968,
    attention: 0, attention_with_dropout: 98_304, transformer: 852_480, two_results: 624, one_layer_twice: 432,
    second_derivatives: 3_500, (lambda T: T.ones(3) + 1): 0,
}  # fmt: skip
"""Program -> FLOPs that PyTorch 2.13 counts."""


def modules(T):
    return [importlib.import_module(f"{T.__name__}.utils.{name}") for name in ("flop_counter", "module_tracker")]


def counted(T, program, **options):
    """The counter of a program."""
    counter = modules(T)[0].FlopCounterMode(display=False, **options)
    with counter:
        program(T)
    return counter


@pytest.mark.parametrize(("program", "total"), CASES.items())
def test_totals_are_those_recorded_from_pytorch(program, total):
    assert counted(engine, program).get_total_flops() == total


@needs_torch
@pytest.mark.parametrize("program", CASES)
def test_counts_and_tables_are_pytorchs(program):
    ours, theirs = (counted(T, program) for T in (engine, torch))
    assert named(ours) == named(theirs)
    assert [ours.get_table(depth) for depth in (None, 1, 9)] == [theirs.get_table(depth) for depth in (None, 1, 9)]


def named(counter):
    return {name: {str(key): count for key, count in row.items()} for name, row in counter.get_flop_counts().items()}


def test_a_table_is_printed_where_the_block_ends(capsys):
    with FlopCounterMode(depth=1):
        trained(engine, network(engine), engine.ones(8, 1, 8, 8))
    assert capsys.readouterr().out.splitlines() == [
        "Module                          FLOP    % Total",
        "---------------------------  -------  ---------",
        "Sequential                   58.752K    100.00%",
        "- aten.convolution           20.736K     35.29%",
        "- aten.addmm                  5.760K      9.80%",
        "- aten.mm                    11.520K     19.61%",
        "- aten.convolution_backward  20.736K     35.29%",
    ]


def test_a_counter_begins_again_in_each_block():
    counter = FlopCounterMode(display=False)
    for _ in range(2):
        with counter:
            engine.ones(2, 3) @ engine.ones(3, 4)
    assert counter.get_total_flops() == 48


def test_a_custom_formula_takes_sizes_or_tensors():
    def of_sizes(one, other, out_shape):
        return 7 * one[0] + out_shape[0]

    def of_tensors(one, other, out_val):
        return 100 * one.numel() + out_val.numel()

    of_tensors._get_raw = True
    program = lambda T: T.ones(3) * T.ones(3)  # noqa: E731
    mul = engine.ops.aten.mul
    assert counted(engine, program, custom_mapping={mul: of_sizes}).get_total_flops() == 24
    assert counted(engine, program, custom_mapping={mul: of_tensors}).get_total_flops() == 303


def test_a_registered_formula_counts_and_is_refused_twice():
    exp = engine.ops.aten.exp
    register = register_flop_formula(exp)
    register(lambda one, out_shape: 3 * one[0])
    try:
        assert counted(engine, lambda T: T.ones(3).exp()).get_total_flops() == 9
        with pytest.raises(RuntimeError, match=r"duplicate registrations for aten\.exp"):
            register(lambda one, out_shape: 0)
    finally:
        del modules(engine)[0].flop_registry[exp]
    with pytest.raises(ValueError, match=r"got aten\.exp\.default which is of type"):
        register_flop_formula(exp.default)(lambda one, out_shape: 0)


def test_modules_need_not_be_given():
    with pytest.warns(UserWarning, match="mods argument is not needed anymore, you can stop passing it"):
        FlopCounterMode(network(engine))


def test_a_convolution_has_two_flops_for_each_weight_at_each_position():
    given, weight, result = (2, 4, 9, 9), (6, 4, 3, 3), (2, 6, 7, 7)
    assert conv_flop_count(given, weight, result) == 2 * (2 * 7 * 7) * (6 * 4 * 3 * 3)
    assert conv_flop_count(result, weight, given, transposed=True) == 2 * (2 * 7 * 7) * (6 * 4 * 3 * 3)


@pytest.mark.parametrize("mask", [(True, True, True), (True, False, True), (False, True, False), (False, False, True)])
def test_each_gradient_of_a_convolution_has_the_flops_of_forward(mask):
    given, weight, result = (2, 4, 9, 9), (6, 4, 3, 3), (2, 6, 7, 7)
    count = conv_backward_flop(
        result, given, weight, (6,), (1, 1), (0, 0), (1, 1), False, (0, 0), 1, mask, out_val=(given, weight, (6,))
    )
    assert count == sum(mask[:2]) * conv_flop_count(given, weight, result)


EXPRESSIONS = {
    "F.__all__": "['FlopCounterMode', 'register_flop_formula']",
    "F.mm_flop((3, 4), (4, 5)), F.mm_flop(T.ones(3, 4), T.ones(4, 5))": "(120, 120)",
    "F.mm_flop((3, 4), (5, 5))": "AssertionError: matmul: inner dimensions must match (k == k2), got 4 and 5",
    "F.bmm_flop((2, 3, 4), (2, 4, 5)), F.addmm_flop((5,), (3, 4), (4, 5))": "(240, 120)",
    "F.baddbmm_flop((1,), (2, 3, 4), (3, 4, 5))":
        "AssertionError: bmm: batch dimensions must match (b == b2), got 2 and 3",
    "F.conv_flop((2, 3, 8, 8), (4, 3, 3, 3), None, 1, 0, 1, False, out_val=T.ones(2, 4, 6, 6))": "15552",
    "F.sdpa_flop((2, 4, 8, 16), (2, 2, 10, 16), (2, 2, 10, 32))": "61440",
    "F.sdpa_flop_count((2, 4, 8, 16), (3, 4, 8, 16), (2, 4, 8, 16))":
        "AssertionError: sdpa_flop_count: query/key/value shapes are incompatible: q=(2, 4, 8, 16), k=(3, 4, 8, 16), "
        "v=(2, 4, 8, 16)",
    "F.sdpa_backward_flop(*[(2, 4, 8, 16)] * 4)": "81920",
    "[F.get_suffix_str(number) for number in (0, 9999, 12345, 10**12)], F.suffixes":
        "(['', '', 'K', 'B'], ['', 'K', 'M', 'B', 'T'])",
    "F.convert_num_with_suffix(1234567, 'K'), F.convert_to_percent_str(1, 3), F.convert_to_percent_str(0, 0)":
        "('1234.567K', '33.33%', '0%')",
    "F.get_shape(T.ones(2, 3)), F.get_shape('other')": "(torch.Size([2, 3]), 'other')",
    "F.FlopCounterMode().get_table().splitlines()":
        "['Module      FLOP    % Total', '--------  ------  ---------', 'Global         0         0%']",
}  # fmt: skip
"""Expression -> what PyTorch 2.13 gives."""


def outcome(T, expression):
    try:
        return repr(eval(expression, {"T": T, "F": modules(T)[0]}))
    except AssertionError as error:
        return f"AssertionError: {error}"


@pytest.mark.parametrize(("expression", "recorded"), EXPRESSIONS.items())
def test_formulas_and_texts_are_those_recorded_from_pytorch(expression, recorded):
    assert outcome(engine, expression) == recorded


@needs_torch
@pytest.mark.parametrize(("expression", "recorded"), EXPRESSIONS.items())
def test_the_recorded_formulas_and_texts_are_pytorchs(expression, recorded):
    assert outcome(torch, expression) == recorded


def modules_that_run(T):
    """Names of the modules that run, seen by modules and by hooks of gradients."""
    tracker, seen = modules(T)[1].ModuleTracker(), []

    class Looks(T.nn.Module):
        def forward(self, x):
            look()
            x.register_hook(lambda grad: look())
            return x * 2

    def look():
        seen.append((sorted(tracker.parents), tracker.is_bw))

    net = T.nn.Sequential(T.nn.Linear(3, 3), Looks(), T.nn.Sequential(Looks()))
    with tracker:
        trained(T, net, leaf(T, 2, 3))
        look()
        trained(T, net, T.ones(2, 3))
        look()
    return seen


def test_modules_are_followed_through_forward_and_backward():
    seen = modules_that_run(engine)
    assert seen[:3] == [
        (["Global", "Sequential", "Sequential.1"], False),
        (["Global", "Sequential", "Sequential.2", "Sequential.2.0"], False),
        (["Global", "Sequential", "Sequential.1"], True),
    ]
    assert seen[4] == (["Global"], False)


@needs_torch
def test_modules_are_followed_as_in_pytorch():
    assert modules_that_run(engine) == modules_that_run(torch)


def page_of_the_counter(T):
    """A program in the spirit of PyTorch's page on FlopCounterMode: which part of a network costs most?"""
    counts = {}
    for width in (8, 16):
        net = T.nn.Sequential(T.nn.Linear(8, width), T.nn.Tanh(), T.nn.Linear(width, 2))
        optimizer = T.optim.SGD(net.parameters(), lr=0.1)
        with modules(T)[0].FlopCounterMode(display=False) as counter:
            forward = net(T.ones(4, 8))
            at_forward = counter.get_total_flops()
            forward.sum().backward()
            optimizer.step()
        by_module = {name: sum(row.values()) for name, row in counter.get_flop_counts().items()}
        counts[width] = at_forward, counter.get_total_flops(), sorted(by_module.items())
    return counts


RECORDED_PAGE = {
    8: (640, 1408, [("Global", 1408), ("Sequential", 1408), ("Sequential.0", 1024), ("Sequential.2", 384)]),
    16: (1280, 2816, [("Global", 2816), ("Sequential", 2816), ("Sequential.0", 2048), ("Sequential.2", 768)]),
}


def test_the_program_of_the_page_gives_what_was_recorded():
    assert page_of_the_counter(engine) == RECORDED_PAGE


@needs_torch
def test_the_recorded_page_is_pytorchs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert page_of_the_counter(torch) == RECORDED_PAGE
