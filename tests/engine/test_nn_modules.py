"""Modules: what they own, what they compute, how they print, what their hooks see; compared with PyTorch's."""

import copy
import importlib
import pickle
from collections import OrderedDict

import pytest
from compare import assert_close, assert_same, needs_torch

import engine
from engine.aten.python_arg_parser import PythonArgParser


def network(T):
    """A class with every kind of member."""
    nn = T.nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(3, 4)
            self.body = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(4), nn.Linear(4, 2, bias=False))
            self.shared = self.body[2]
            self.scale = nn.Parameter(T.ones(2))
            self.register_buffer("steps", T.zeros(1))
            self.register_buffer("scratch", T.zeros(2), persistent=False)
            self.name = "network"

        def forward(self, input):
            return self.body(self.first(input)) * self.scale

    T.manual_seed(0)
    return Network()


# ---- forward and backward of the layers

LAYERS = {
    "Linear(3, 5)": (2, 3),
    "Bilinear(3, 3, 2)": (2, 3),
    "Identity(54, unused=True)": (2, 3),
    "Conv1d(3, 4, 3, padding=1, stride=2)": (2, 3, 7),
    "Conv1d(3, 3, 3, padding='same', padding_mode='reflect', groups=3)": (2, 3, 7),
    "Conv2d(2, 4, 3, padding='same', dilation=2)": (2, 2, 6, 5),
    "Conv2d(2, 4, (3, 2), padding=(1, 2), padding_mode='circular')": (2, 2, 6, 5),
    "LayerNorm(4)": (3, 4),
    "RMSNorm(4)": (3, 4),
    "GroupNorm(2, 4)": (2, 4, 3),
    "BatchNorm1d(3)": (4, 3),
    "BatchNorm2d(3, momentum=None)": (2, 3, 4, 2),
    "BatchNorm2d(3, affine=False, track_running_stats=False)": (2, 3, 4, 2),
    "InstanceNorm1d(3, affine=True)": (2, 3, 4),
    "InstanceNorm2d(3)": (3, 4, 2),
    "Flatten()": (2, 3, 4),
    "Unflatten(1, (2, 3))": (2, 6),
    "PixelShuffle(2)": (1, 4, 2, 3),
    "ZeroPad2d((1, 0, 2, 1))": (1, 1, 2, 3),
    "Upsample(scale_factor=2)": (1, 2, 2, 3),
    "ReLU(inplace=False)": (2, 3),
    "GELU('tanh')": (2, 3),
    "SiLU()": (2, 3),
    "Mish()": (2, 3),
    "Sigmoid()": (2, 3),
    "Tanh()": (2, 3),
    "LogSigmoid()": (2, 3),
    "Softsign()": (2, 3),
    "Tanhshrink()": (2, 3),
    "Hardsigmoid()": (2, 3),
    "Hardswish()": (2, 3),
    "Hardtanh(-0.5, 0.7)": (2, 3),
    "ReLU6()": (2, 3),
    "ELU(0.5)": (2, 3),
    "CELU(0.5)": (2, 3),
    "SELU()": (2, 3),
    "LeakyReLU(0.2)": (2, 3),
    "PReLU(3)": (2, 3),
    "Threshold(0.1, 2.0)": (2, 3),
    "Softplus(2.0, 3.0)": (2, 3),
    "Hardshrink()": (2, 3),
    "Softshrink()": (2, 3),
    "GLU()": (2, 4),
    "Softmax(dim=1)": (2, 3),
    "Softmin(dim=1)": (2, 3),
    "LogSoftmax(dim=1)": (2, 3),
    "MaxPool1d(2)": (2, 3, 6),
    "MaxPool2d((2, 3), stride=1, padding=1)": (2, 3, 6, 5),
    "AvgPool1d(3, stride=2)": (2, 3, 7),
    "AvgPool2d(2, padding=1, count_include_pad=False)": (2, 3, 6, 5),
    "AdaptiveAvgPool1d(3)": (2, 3, 7),
    "AdaptiveAvgPool2d((None, 2))": (2, 3, 6, 5),
    "AdaptiveMaxPool1d(3)": (2, 3, 7),
    "AdaptiveMaxPool2d(2)": (2, 3, 6, 5),
    "Dropout(0.0)": (2, 3),
    "Dropout(0.3)": (4, 5),
    "Dropout2d(0.3)": (2, 5, 3, 3),
    "AlphaDropout(0.3)": (4, 5),
}


@needs_torch
@pytest.mark.parametrize("text", LAYERS)
def test_a_layer_computes_what_pytorchs_does(text):
    """Output, gradients, buffers afterwards, and the output of evaluation."""

    def program(T):
        T.manual_seed(5)
        layer = eval(f"T.nn.{text}", {"T": T})
        input = T.randn(LAYERS[text], requires_grad=True)
        inputs = (input, input * 2) if "Bilinear" in text else (input,)
        output = layer(*inputs)
        output.backward(T.randn(output.shape))
        grads = [tensor.grad.clone() for tensor in (input, *layer.parameters())]
        return output.detach(), grads, list(layer.buffers()), layer.eval()(*inputs).detach()

    assert_close(program)


@needs_torch
def test_an_embedding_learns_the_rows_that_were_named():
    def program(T):
        T.manual_seed(5)
        table = T.nn.Embedding(7, 3, padding_idx=-1)
        output = table(T.tensor([[1, 1, 6], [0, 2, 1]]))
        output.backward(T.randn(output.shape))
        frozen = T.nn.Embedding.from_pretrained(T.ones(4, 2), padding_idx=1)
        return output.detach(), table.weight.grad, frozen.weight.detach(), frozen.weight.requires_grad

    assert_close(program)


LOSSES = ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss", "BCELoss", "BCEWithLogitsLoss", "KLDivLoss")


@needs_torch
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", [*LOSSES, "CrossEntropyLoss", "NLLLoss"])
def test_a_loss_is_pytorchs(name, reduction):
    def program(T):
        T.manual_seed(6)
        input, target = T.rand(4, 3, requires_grad=True), T.rand(4, 3)
        if name not in LOSSES:
            target = T.tensor([0, 2, 1, 2])
        options = {"weight": T.tensor([1.0, 0.5, 2.0])} if "Cross" in name else {}
        loss = getattr(T.nn, name)(reduction=reduction, **options)
        value = loss(input, target)
        value.backward(T.ones(value.shape))
        return value.detach(), input.grad.clone(), list(loss.state_dict())

    assert_close(program)


# ---- how they print

PRINTED = (
    *(f"nn.{text}" for text in LAYERS),
    "nn.Conv2d(1, 2, 3, padding='same', bias=False)",
    "nn.Conv2d(1, 2, 3, padding=1, stride=2, dilation=2)",
    "nn.Embedding(3, 4, padding_idx=-1, max_norm=1.0)",
    "nn.LayerNorm((4, 2), bias=False)",
    "nn.ReLU(True)",
    "nn.Sequential()",
    "nn.Sequential(OrderedDict(a=nn.Linear(1, 2), b=nn.Sequential(nn.ReLU())))",
    "nn.ModuleList([nn.Linear(1, 1)] * 3 + [nn.ReLU(), nn.Sequential(nn.Tanh())])",
    "nn.ModuleDict({'a': nn.ReLU()})",
    "nn.ParameterList([T.ones(2), 3])",
    "nn.ParameterDict({'a': T.ones(2, 3)})",
    "nn.Parameter(T.ones(2), requires_grad=False)",
    "network(T)",
)


@needs_torch
@pytest.mark.parametrize("text", PRINTED)
def test_a_module_prints_as_pytorchs(text):
    names = {"OrderedDict": OrderedDict, "network": network}
    assert_same(lambda T: repr(eval(text, {"T": T, "nn": T.nn, **names})))


# ---- what a module owns


@needs_torch
@pytest.mark.parametrize(
    "walk",
    [
        lambda T, m: [name for name, _ in m.named_parameters()],
        lambda T, m: [name for name, _ in m.named_parameters(prefix="p", recurse=False)],
        lambda T, m: [name for name, _ in m.named_parameters(remove_duplicate=False)],
        lambda T, m: [name for name, _ in m.named_buffers()],
        lambda T, m: [(name, type(module).__name__) for name, module in m.named_modules()],
        lambda T, m: [name for name, _ in m.named_children()],
        lambda T, m: [type(module).__name__ for module in m.children()],
        lambda T, m: [name for name, _ in m.body.named_modules(prefix="body")],
        lambda T, m: len(list(m.modules())),
        lambda T, m: list(m.state_dict()),
        lambda T, m: list(m.state_dict()._metadata.items()),
        lambda T, m: m.get_submodule("body.1") is m.body[1],
        lambda T, m: m.get_parameter("first.weight") is m.first.weight,
        lambda T, m: m.get_buffer("body.1.running_mean") is m.body[1].running_mean,
        lambda T, m: [name for name in dir(m) if name in ("scale", "steps", "first", "name")],
        lambda T, m: [module.training for module in m.eval().modules()],
        lambda T, m: [parameter.requires_grad for parameter in m.requires_grad_(False).parameters()],
        lambda T, m: [(p.dtype, p.requires_grad) for p in m.double().parameters()],
        lambda T, m: [buffer.dtype for buffer in m.to(T.float64).buffers()],
        lambda T, m: m.to(T.zeros(1, dtype=T.float64)).first.weight is m.first.weight,
    ],
)
def test_a_walk_through_a_network_is_pytorchs(walk):
    assert_same(lambda T: walk(T, network(T)))


@needs_torch
@pytest.mark.parametrize(
    "misuse",
    [
        lambda T, m: setattr(m, "scale", T.ones(2)),
        lambda T, m: setattr(m, "first", T.ones(2)),
        lambda T, m: setattr(m, "steps", 3),
        lambda T, m: m.register_parameter("name", T.nn.Parameter(T.ones(1))),
        lambda T, m: m.register_parameter("a.b", None),
        lambda T, m: m.register_parameter("", None),
        lambda T, m: m.register_parameter("q", T.ones(1)),
        lambda T, m: m.register_parameter(3, None),
        lambda T, m: m.register_buffer("scale", T.ones(1)),
        lambda T, m: m.register_buffer("q", [1]),
        lambda T, m: m.add_module("q", 3),
        lambda T, m: m.add_module("a.b", T.nn.ReLU()),
        lambda T, m: m.add_module("name", T.nn.ReLU()),
        lambda T, m: m.nothing,
        lambda T, m: delattr(m, "nothing"),
        lambda T, m: m.get_submodule("body.9"),
        lambda T, m: m.get_submodule("scale"),
        lambda T, m: m.get_parameter("steps"),
        lambda T, m: m.get_buffer("scale"),
        lambda T, m: m.train("yes"),
        lambda T, m: m.to(T.int64),
        lambda T, m: m.to(copy=True),
        lambda T, m: m.to("cpu", copy=False),
        lambda T, m: m.to("cpu", T.float64, False, True),
        lambda T, m: m.to(T.float64, False, True),
        lambda T, m: T.nn.Module()(1),
        lambda T, m: m.load_state_dict([1]),
        lambda T, m: m.load_state_dict({}),
        lambda T, m: m.load_state_dict({**m.state_dict(), "scale": T.ones(3), "more": T.ones(1)}),
        lambda T, m: m.load_state_dict({**m.state_dict(), "body.2.bias": T.ones(2), "first": T.ones(1)}),
        lambda T, m: m.body[3],
        lambda T, m: m.body + [1],
        lambda T, m: m.body * 0,
        lambda T, m: T.nn.ModuleList([3]),
        lambda T, m: T.nn.ModuleList(3),
        lambda T, m: T.nn.ModuleDict([1]),
        lambda T, m: T.nn.ModuleDict([("a", m, m)]),
        lambda T, m: T.nn.ParameterList(T.ones(3)),
        lambda T, m: T.nn.Parameter(T.ones(2, dtype=T.int64)),
        lambda T, m: T.nn.Unflatten(1, 3),
        lambda T, m: T.nn.Dropout(2.0),
        lambda T, m: T.nn.Conv2d(3, 4, 1, groups=2),
        lambda T, m: T.nn.Conv2d(2, 4, 1, stride=2, padding="same"),
        lambda T, m: T.nn.GroupNorm(2, 3),
        lambda T, m: T.nn.BatchNorm2d(3)(T.ones(2, 3)),
        lambda T, m: T.nn.InstanceNorm1d(3, affine=True)(T.ones(2, 4, 3)),
        lambda T, m: T.nn.Embedding(3, 2, padding_idx=3),
    ],
)
def test_a_misuse_is_refused_as_pytorch_does(misuse):
    def program(T):
        try:
            return misuse(T, network(T))
        except Exception as error:
            return type(error).__name__, str(error).replace("engine.nn", "torch.nn").replace("engine.tensor_impl", "")

    assert_same(program)


def test_a_subclass_calls_the_base_first():
    class Forgotten(engine.nn.Module):
        def __init__(self):
            self.weight = engine.nn.Parameter(engine.ones(1))

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__\(\) call"):
        Forgotten()


@needs_torch
def test_a_name_may_change_its_kind():
    def program(T):
        m = T.nn.Module()
        m.a = 3
        m.a = T.nn.Parameter(T.ones(2))
        kinds = [list(m._parameters), list(m._buffers), list(m._modules), "a" in m.__dict__]
        m.a = None
        m.b = T.nn.ReLU()
        m.b = T.nn.Parameter(T.ones(1))
        m.c = T.nn.Buffer(T.ones(2), persistent=False)
        m.c = T.zeros(2)
        del m.b
        return kinds, list(m._parameters.items()), list(m._buffers), list(m._modules), list(m.state_dict())

    assert_same(program)


@needs_torch
def test_containers_are_pytorchs():
    def program(T):
        nn = T.nn
        row = nn.Sequential(nn.ReLU(), nn.Tanh())
        row.append(nn.Sigmoid()).insert(1, nn.ELU())
        row.extend([nn.GELU()])
        row[0] = nn.SiLU()
        del row[2]
        shown = [repr(row), repr(row[1:3]), repr(row.pop(-1)), repr(row + row), repr(row * 2), len(row)]
        modules = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.ELU()])
        modules += [nn.GELU()]
        modules.insert(0, nn.SiLU())
        del modules[1:3]
        table = nn.ModuleDict([("a", nn.ReLU()), ["b", nn.Tanh()]])
        table.update({"c": nn.ELU()})
        shown += [repr(modules), repr(modules[::2]), repr(modules + modules), repr(table), list(table), "b" in table]
        parameters = nn.ParameterList([T.ones(1), T.zeros(2), 5])
        shown += [len(list(parameters.parameters())), repr(parameters[1:]), repr(list(table.items())), table.pop("a")]
        named = nn.ParameterDict({"b": T.ones(1), "a": T.zeros(2)})
        return [*shown[:-1], list(named.keys()), named.get("c"), [name for name, _ in named.named_parameters()]]

    assert_same(program)


# ---- the state dict


@needs_torch
def test_a_state_dict_is_loaded_by_name():
    def program(T):
        one, other = network(T), network(T)
        for parameter in one.parameters():
            parameter.data.add_(1)
        missing = other.load_state_dict(one.state_dict())
        loose = other.load_state_dict({"scale": T.zeros(2), "more": T.zeros(1)}, strict=False)
        return list(other.state_dict().items()), repr(missing), repr(loose), other.scale.requires_grad

    assert_same(program)


@needs_torch
def test_a_state_dict_can_take_the_parameters_places():
    def program(T):
        module, weight = T.nn.Linear(2, 2), T.ones(2, 2)
        module.load_state_dict({"weight": weight, "bias": T.zeros(2)}, assign=True)
        weight.add_(1)
        return list(module.state_dict().items()), type(module.weight).__name__, module.weight.requires_grad

    assert_same(program)


@needs_torch
def test_hooks_of_the_state_dict():
    def program(T):
        module, seen = T.nn.Sequential(T.nn.Linear(1, 1)), []
        module.register_state_dict_pre_hook(lambda module, prefix, keep: seen.append(("before", prefix, keep)))
        module.register_state_dict_post_hook(lambda module, state, prefix, meta: state.update(extra=T.ones(1)))
        module.register_load_state_dict_pre_hook(lambda module, state, prefix, *rest: state.pop("extra") and None)
        module.register_load_state_dict_post_hook(lambda module, keys: seen.append(repr(keys)))
        state = module.state_dict()
        module.load_state_dict(state)
        return seen, list(state)

    assert_same(program)


@needs_torch
def test_state_besides_tensors():
    def program(T):
        class Counting(T.nn.Module):
            count = 3

            def get_extra_state(self):
                return {"count": self.count}

            def set_extra_state(self, state):
                self.count = state["count"] + 1

        module = T.nn.Sequential(Counting())
        state = module.state_dict()
        module.load_state_dict(state)
        return dict(state), module[0].count

    assert_same(program)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))])
def test_a_copy_of_a_module_has_memory_of_its_own(copied):
    module = engine.nn.Sequential(engine.nn.Linear(2, 2), engine.nn.BatchNorm1d(2))
    other = copied(module)
    other[0].weight.data.zero_()
    assert isinstance(other[0].weight, engine.nn.Parameter) and other[0].weight.requires_grad
    assert module[0].weight.abs().sum().item() > 0
    assert repr(other) == repr(module) and list(other.state_dict()) == list(module.state_dict())


# ---- a parameter


@needs_torch
def test_a_parameter_shares_memory_and_version():
    def program(T):
        tensor = T.ones(2, 3)
        parameter = T.nn.Parameter(tensor.t())
        tensor.add_(1)
        kinds = [type(x).__name__ for x in (parameter + 1, parameter.detach(), parameter.data, parameter[0])]
        copied = copy.deepcopy(parameter)
        flags = [parameter.is_leaf, parameter.grad_fn, parameter._base, parameter.requires_grad]
        return parameter.detach(), parameter._version, kinds, flags, type(copied).__name__, copied.detach()

    assert_same(program)


def test_operators_of_parameters_need_no_parser():
    """They take the fast way through the binding, as plain tensors do."""
    parameter = engine.nn.Parameter(engine.ones(3))
    parameter * parameter  # its text is made at the first call
    parse = PythonArgParser.parse
    try:
        PythonArgParser.parse = None
        assert (parameter * parameter).tolist() == [1.0, 1.0, 1.0]
    finally:
        PythonArgParser.parse = parse


@needs_torch
def test_a_parameter_of_a_wrapper_keeps_its_class():
    def program(T):
        class Wrapper(T.Tensor):
            @staticmethod
            def __new__(cls, inner):
                made = T.Tensor._make_wrapper_subclass(cls, inner.shape)
                made.inner = inner
                return made

            @classmethod
            def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
                return cls(func(*(one.inner if isinstance(one, cls) else one for one in args)))

        module, nn = T.nn.Module(), T.nn
        module.weight, module.steps = nn.Parameter(Wrapper(T.ones(2))), nn.Buffer(Wrapper(T.ones(2)))
        module.other = nn.Parameter(T.ones(2))
        kinds = nn.Parameter, nn.Buffer, Wrapper
        seen = [[isinstance(one, kind) for kind in kinds] for one in (module.weight, module.steps, module.other)]
        return seen, [*dict(module.named_parameters())], [*dict(module.named_buffers())], module.weight.requires_grad

    assert_same(program)


# ---- hooks


@needs_torch
def test_hooks_of_all_modules_run_before_the_modules_own():
    def program(T):
        hooks = importlib.import_module(f"{T.__name__}.nn.modules.module")
        net, seen = T.nn.Sequential(T.nn.Identity(), T.nn.ReLU()), []
        note = lambda when: lambda module, *_: seen.append((when, type(module).__name__))  # noqa: E731
        net[0].register_forward_pre_hook(note("own"))
        with (
            hooks.register_module_forward_pre_hook(note("before")),
            hooks.register_module_forward_hook(note("after")),
            hooks.register_module_forward_hook(lambda module, args, result: result * 2),
        ):
            doubled = net(T.ones(2))
        return doubled, net(T.ones(2)), seen

    assert_same(program)


@needs_torch
def test_hooks_of_forward_change_arguments_and_results():
    def program(T):
        module, seen = T.nn.Linear(2, 2), []
        T.nn.init.eye_(module.weight)
        T.nn.init.zeros_(module.bias)
        module.register_forward_pre_hook(lambda module, args: seen.append("second") or args[0] + 1)
        module.register_forward_pre_hook(lambda module, args: seen.append("first"), prepend=True)
        module.register_forward_pre_hook(lambda module, args, kwargs: ((args[0] * 2,), kwargs), with_kwargs=True)
        module.register_forward_hook(lambda module, args, result: seen.append(args[0].tolist()))
        handle = module.register_forward_hook(lambda module, args, result: result * 10)
        results = [module(T.ones(1, 2)).detach()]
        handle.remove()
        handle.remove()
        with module.register_forward_hook(lambda module, args, kwargs, result: result - 1, with_kwargs=True):
            results.append(module(T.ones(1, 2)).detach())
        return [*results, module(T.ones(1, 2)).detach()], seen, len(module._forward_hooks)

    assert_same(program)


@needs_torch
def test_a_hook_may_be_called_in_spite_of_an_error():
    def program(T):
        seen = []

        class Failing(T.nn.Module):
            def forward(self, input):
                raise KeyError("no")

        module = Failing()
        module.register_forward_hook(lambda module, args, result: seen.append("skipped"))
        module.register_forward_hook(lambda module, args, result: seen.append(result), always_call=True)
        try:
            module(1)
        except KeyError as error:
            return seen, str(error)

    assert_same(program)


def changed_by_hooks(T, register, needs_input_grad=True):
    """Return what hooks of backward see, and the gradients afterwards."""
    T.manual_seed(0)
    module, seen = T.nn.Sequential(T.nn.Linear(2, 3), T.nn.Tanh()), []
    handles = register(T, module[0], seen)
    input = T.ones(1, 2, requires_grad=needs_input_grad)
    for _ in range(2):
        output = module(input)
        output.sum().backward()
        for handle in handles:
            handle.remove()
    node = output.grad_fn.next_functions[0][0].name()
    return seen, node, input.grad, [parameter.grad for parameter in module.parameters()]


def shown(grads):
    return [None if grad is None else grad.detach() for grad in grads]


@needs_torch
@pytest.mark.parametrize(
    "register",
    [
        lambda T, m, seen: [m.register_full_backward_hook(lambda m, i, o: seen.append((shown(i), shown(o))))],
        lambda T, m, seen: [m.register_full_backward_hook(lambda m, i, o: (i[0] * 10,))],
        lambda T, m, seen: [m.register_full_backward_pre_hook(lambda m, o: (o[0] * 10,))],
        lambda T, m, seen: [
            m.register_full_backward_pre_hook(lambda m, o: seen.append(shown(o))),
            m.register_full_backward_hook(lambda m, i, o: seen.append("second")),
            m.register_full_backward_hook(lambda m, i, o: seen.append("first"), prepend=True),
        ],
        lambda T, m, seen: [m.register_full_backward_hook(lambda m, i, o: (i[0], i[0]))],
    ],
)
@pytest.mark.parametrize("needs_input_grad", [True, False])
def test_hooks_of_backward_see_and_change_gradients(register, needs_input_grad):
    assert_close(lambda T: changed_by_hooks(T, register, needs_input_grad))


@needs_torch
def test_hooks_of_backward_leave_out_what_is_no_tensor():
    def program(T):
        class Pair(T.nn.Module):
            def forward(self, a, scale, b):
                return a * scale, b, a + b

        module, seen = Pair(), []
        module.register_full_backward_hook(lambda m, i, o: seen.append((shown(i), shown(o))))
        a, b = T.ones(2, requires_grad=True), T.ones(2)
        outputs = module(a, 3, b)
        outputs[0].sum().backward()
        return seen, [output.requires_grad for output in outputs], a.grad

    assert_close(program)
