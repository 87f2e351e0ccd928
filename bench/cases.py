"""The cases of the bench: each makes its inputs with `T = engine` or `T = torch` and returns the work to time."""

import contextlib
import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Work = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """A row of the table.

    Args:
        group: under which it stands, and of which a mean is given.
        name: as the program says it.
        prepare: T -> the work, which returns a tensor.
        target: the ratio that it should not be above, where one is set.
    """

    group: str
    name: str
    prepare: Callable[[Any], Work]
    target: float | None = None


def on(make: Callable[[Any], tuple], work: Callable[..., Any]) -> Callable[[Any], Work]:
    """work(T, *inputs) on inputs that are made once."""

    def prepare(T: Any) -> Work:
        T.manual_seed(0)
        inputs = make(T)
        return lambda: work(T, *inputs)

    return prepare


def randn(*shapes: tuple[int, ...], dtype: str = "float32") -> Callable[[Any], tuple]:
    """Normal random tensors of these sizes, the same for both."""
    return lambda T: tuple(T.randn(*shape, dtype=getattr(T, dtype)) for shape in shapes)


def ints(rows: int, count: int) -> Callable[[Any], Any]:
    """`count` row numbers, spread over all rows."""
    return lambda T: T.arange(count, dtype=T.int64) * 7919 % rows


def rows(group: str, make: Callable[[Any], tuple], works: dict[str, Callable[..., Any]]) -> tuple[Case, ...]:
    """Cases that share their inputs."""
    return tuple(Case(group, name, on(make, work)) for name, work in works.items())


EIGHT = randn((8,), (8,))
SMALL = rows("calls on 8 elements", EIGHT, {
    "x + y": lambda T, x, y: x + y,
    "x + 2": lambda T, x, y: x + 2,
    "x * y": lambda T, x, y: x * y,
    "x / y": lambda T, x, y: x / y,
    "x < y": lambda T, x, y: x < y,
    "x.add_(y)": lambda T, x, y: x.add_(y),
    "x.mul_(1)": lambda T, x, y: x.mul_(1),
    "x.exp()": lambda T, x, y: x.exp(),
    "relu(x)": lambda T, x, y: T.nn.functional.relu(x),
    "x.sum()": lambda T, x, y: x.sum(),
    "x.mean()": lambda T, x, y: x.mean(),
    "x.softmax(0)": lambda T, x, y: x.softmax(0),
    "x.where(x > 0, y)": lambda T, x, y: x.where(x > 0, y),
    "x.copy_(y)": lambda T, x, y: x.copy_(y),
    "x.clone()": lambda T, x, y: x.clone(),
    "x.double()": lambda T, x, y: x.double(),
    "x.zero_()": lambda T, x, y: x.zero_(),
    "zeros(8)": lambda T, x, y: T.zeros(8),
    "randn(8)": lambda T, x, y: T.randn(8),
    "tensor([1.0, 2.0])": lambda T, x, y: T.tensor([1.0, 2.0]),
    "cat((x, y))": lambda T, x, y: T.cat((x, y)),
    "x.view(2, 4)": lambda T, x, y: x.view(2, 4),
    "x[1:]": lambda T, x, y: x[1:],
    "x[1]": lambda T, x, y: x[1],
    "x.expand(5, 8)": lambda T, x, y: x.expand(5, 8),
    "x.view(2, 4) @ y.view(4, 2)": lambda T, x, y: x.view(2, 4) @ y.view(4, 2),
})  # fmt: skip

SQUARE = randn((2048, 2048), (2048, 2048))
ELEMENTWISE = rows("elementwise, 2048 x 2048", SQUARE, {
    "x + y": lambda T, x, y: x + y,
    "x.add_(y)": lambda T, x, y: x.add_(y),
    "x * 2": lambda T, x, y: x * 2,
    "x + y.t()": lambda T, x, y: x + y.t(),
    "x + y[0]": lambda T, x, y: x + y[0],
    "x + y[:, :1]": lambda T, x, y: x + y[:, :1],
    "x[:, ::2] * y[:, ::2]": lambda T, x, y: x[:, ::2] * y[:, ::2],
    "x > y": lambda T, x, y: x > y,
    "x.where(x > 0, y)": lambda T, x, y: x.where(x > 0, y),
    "x.clamp(-1, 1)": lambda T, x, y: x.clamp(-1, 1),
    "x.exp()": lambda T, x, y: x.exp(),
    "x.tanh()": lambda T, x, y: x.tanh(),
    "x.sigmoid()": lambda T, x, y: x.sigmoid(),
    "gelu(x)": lambda T, x, y: T.nn.functional.gelu(x),
    "x.square().sqrt()": lambda T, x, y: x.square().sqrt(),
})  # fmt: skip

REDUCTIONS = rows("reductions, 2048 x 2048", SQUARE, {
    "x.sum()": lambda T, x, y: x.sum(),
    "x.sum(0)": lambda T, x, y: x.sum(0),
    "x.sum(1)": lambda T, x, y: x.sum(1),
    "x.mean()": lambda T, x, y: x.mean(),
    "x.max()": lambda T, x, y: x.max(),
    "x.amax(1)": lambda T, x, y: x.amax(1),
    "x.max(1)": lambda T, x, y: x.max(1)[1],
    "x.argmax(0)": lambda T, x, y: x.argmax(0),
    "x.var()": lambda T, x, y: x.var(),
    "x.var(1)": lambda T, x, y: x.var(1),
    "x.cumsum(1)": lambda T, x, y: x.cumsum(1),
    "x.logsumexp(1)": lambda T, x, y: x.logsumexp(1),
    "x.sort(1)": lambda T, x, y: x.sort(1)[0],
}) + rows("reductions, 2048 x 2048", randn((10_000, 100)), {
    "x.sum(1), 10,000 x 100": lambda T, x: x.sum(1),
    "x.amax(1), 10,000 x 100": lambda T, x: x.amax(1),
})  # fmt: skip

NORMALIZATION = rows("softmax, layer_norm, attention", SQUARE, {
    "x.softmax(1), 2048 x 2048": lambda T, x, y: x.softmax(1),
    "x.softmax(0), 2048 x 2048": lambda T, x, y: x.softmax(0),
    "x.log_softmax(1), 2048 x 2048": lambda T, x, y: x.log_softmax(1),
}) + rows("softmax, layer_norm, attention", randn((4096, 768), (768,), (768,)), {
    "layer_norm, 4096 x 768": lambda T, x, w, b: T.nn.functional.layer_norm(x, (768,), w, b),
}) + rows("softmax, layer_norm, attention", randn((32, 64, 28, 28), (64,), (64,)), {
    "batch_norm, 32 x 64 x 28 x 28": lambda T, x, w, b: T.nn.functional.batch_norm(x, None, None, w, b, training=True),
}) + rows("softmax, layer_norm, attention", randn(*[(8, 12, 256, 64)] * 3), {
    "attention, 8 x 12 x 256 x 64": lambda T, q, k, v: T.nn.functional.scaled_dot_product_attention(q, k, v),
    "causal attention, 8 x 12 x 256 x 64":
        lambda T, q, k, v: T.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True),
})  # fmt: skip

COPIES = rows("copies and gathers", SQUARE, {
    "x.clone(), 2048 x 2048": lambda T, x, y: x.clone(),
    "x.t().contiguous(), 2048 x 2048": lambda T, x, y: x.t().contiguous(),
    "x.copy_(y), 2048 x 2048": lambda T, x, y: x.copy_(y),
    "x.double(), 2048 x 2048": lambda T, x, y: x.double(),
    "x.fill_(1), 2048 x 2048": lambda T, x, y: x.fill_(1),
    "cat((x, y), 1), 2048 x 2048": lambda T, x, y: T.cat((x, y), 1),
    "x[x > 0], 2048 x 2048": lambda T, x, y: x[y > 0],
    "x.masked_fill(x > 0, 0), 2048 x 2048": lambda T, x, y: x.masked_fill(y > 0, 0),
    "x.tril(), 2048 x 2048": lambda T, x, y: x.tril(),
}) + rows("copies and gathers", lambda T: (T.randn(50_000, 64), ints(50_000, 20_000)(T)), {
    "x[index], 20,000 of 50,000 rows of 64": lambda T, x, index: x[index],
    "x.index_select(0, index)": lambda T, x, index: x.index_select(0, index),
    "embedding(index, x)": lambda T, x, index: T.nn.functional.embedding(index, x),
    "x.index_add(0, index, x[:20,000])": lambda T, x, index: x.index_add(0, index, x[:20_000]),
    "x.gather(0, index)": lambda T, x, index: x.gather(0, index.unsqueeze(1).expand(-1, 64)),
    "zeros.scatter_add(0, index, x)":
        lambda T, x, index: T.zeros(50_000, 64).scatter_add(0, index.unsqueeze(1).expand(-1, 64), x),
}) + rows("copies and gathers", randn((32, 64, 28, 28)), {
    "channels_last, 32 x 64 x 28 x 28": lambda T, x: x.permute(0, 2, 3, 1).contiguous(),
})  # fmt: skip


def product(name: str, *shapes: tuple[int, ...], dtype: str = "float32", work: Any = None) -> Case:
    """A matrix product."""
    return Case("matmul", name, on(randn(*shapes, dtype=dtype), work or (lambda T, a, b: a @ b)))


MATMUL = (
    *(product(f"{n} x {n}", (n, n), (n, n)) for n in (64, 128, 256, 512, 1024, 2048)),
    product("1000 x 1000", (1000, 1000), (1000, 1000)),
    product("512 x 512, float64", (512, 512), (512, 512), dtype="float64"),
    product("1024 x 1024, a.t() @ b", (1024, 1024), (1024, 1024), work=lambda T, a, b: a.t() @ b),
    product("1024 x 1024, a @ b.t()", (1024, 1024), (1024, 1024), work=lambda T, a, b: a @ b.t()),
    product("2048 x 64 @ 64 x 2048", (2048, 64), (64, 2048)),
    product("64 x 2048 @ 2048 x 64", (64, 2048), (2048, 64)),
    product("8 x 2048 @ 2048 x 2048", (8, 2048), (2048, 2048)),
    product("64 of 128 x 128", (64, 128, 128), (64, 128, 128)),
    product("2048 x 2048 @ 2048", (2048, 2048), (2048,)),
    product("2048 @ 2048 x 2048", (2048,), (2048, 2048)),
    product("linear, 128 x 784 to 256", (128, 784), (256, 784), (256,),
            work=lambda T, x, w, b: T.nn.functional.linear(x, w, b)),
)  # fmt: skip


def convolution(name: str, image: tuple[int, ...], weight: tuple[int, ...], **options: int) -> Case:
    """A convolution of images."""
    work = lambda T, x, w: T.nn.functional.conv2d(x, w, **options)  # noqa: E731
    return Case("conv2d and pooling", f"conv2d, {name}", on(randn(image, weight), work))


CONVOLUTION = (
    convolution("16 x 3 x 32 x 32, 16 of 3 x 3", (16, 3, 32, 32), (16, 3, 3, 3), padding=1),
    convolution("8 x 64 x 56 x 56, 64 of 3 x 3", (8, 64, 56, 56), (64, 64, 3, 3), padding=1),
    convolution("8 x 64 x 56 x 56, 128 of 3 x 3, stride 2", (8, 64, 56, 56), (128, 64, 3, 3), padding=1, stride=2),
    convolution("32 x 128 x 28 x 28, 128 of 3 x 3", (32, 128, 28, 28), (128, 128, 3, 3), padding=1),
    convolution("8 x 256 x 28 x 28, 64 of 1 x 1", (8, 256, 28, 28), (64, 256, 1, 1)),
    convolution("32 x 1 x 8 x 8, 16 of 3 x 3", (32, 1, 8, 8), (16, 1, 3, 3), padding=1),
    *rows("conv2d and pooling", randn((32, 64, 56, 56)), {
        "max_pool2d, 32 x 64 x 56 x 56": lambda T, x: T.nn.functional.max_pool2d(x, 2),
        "avg_pool2d, 32 x 64 x 56 x 56": lambda T, x: T.nn.functional.avg_pool2d(x, 2),
    }),
)  # fmt: skip


def leaf(tensor: Any) -> Any:
    """A parameter with these values."""
    return tensor.detach().requires_grad_()


def forward_and_backward(T: Any, w: Any, x: Any) -> Any:
    """The gradient of w."""
    w.grad = x.grad = None
    (w * x + x).sum().backward()
    return w.grad


GRADIENTS = (
    Case("autograd on 8 elements", "(w * x + x).sum() and backward, w requires grad",
         on(lambda T: (leaf(T.randn(8)), T.randn(8)), forward_and_backward), 0.7),
    Case("autograd on 8 elements", "(w * x + x).sum() and backward, both require grad",
         on(lambda T: (leaf(T.randn(8)), leaf(T.randn(8))), forward_and_backward), 0.7),
    Case("autograd on 8 elements", "x + y, both require grad",
         on(lambda T: (leaf(T.randn(8)), leaf(T.randn(8))), lambda T, x, y: (x + y).detach())),
)  # fmt: skip

RATE = 0.01


def training_step(T: Any, network: Callable[..., Any], x: Any, labels: Any, parameters: list) -> Any:
    """Loss, gradients, and a step of gradient descent; the loss is returned."""
    loss = T.nn.functional.cross_entropy(network(T, x, *parameters), labels)
    loss.backward()
    with T.no_grad():
        for parameter in parameters:
            parameter.sub_(parameter.grad, alpha=RATE)
            parameter.grad = None
    return loss.detach()


def training(name: str, batch: int, images: tuple[int, ...], shapes: tuple, network: Any, target: float) -> Case:
    """Training steps of a network on one batch; a parameter is as wide as what it is multiplied with is long."""

    def make(T: Any) -> tuple:
        x, labels = T.randn(batch, *images), T.arange(batch) % 10
        return x, labels, [leaf(T.randn(*shape) / max(T.zeros(shape)[0].numel(), 1) ** 0.5) for shape in shapes]

    work = lambda T, x, labels, parameters: training_step(T, network, x, labels, parameters)  # noqa: E731
    return Case("training steps", name, on(make, work), target)


def perceptron(T: Any, x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
    """Two linear layers."""
    hidden = T.nn.functional.relu(T.nn.functional.linear(x, w1, b1))
    return T.nn.functional.linear(hidden, w2, b2)


def in_autocast(T: Any, x: Any, *parameters: Any) -> Any:
    """Two linear layers with products in bfloat16."""
    with T.autocast("cpu", dtype=T.bfloat16):
        return perceptron(T, x, *parameters).float()


def convolutional(T: Any, x: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
    """Two convolutions of 3 x 3, a pool, a linear layer."""
    x = T.nn.functional.relu(T.nn.functional.conv2d(x, w1, b1, padding=1))
    x = T.nn.functional.relu(T.nn.functional.conv2d(x, w2, b2, padding=1))
    x = T.nn.functional.max_pool2d(x, 2)
    return T.nn.functional.linear(x.flatten(1), w3, b3)


def by_modules(name: str, batch: int, images: tuple[int, ...], layers: Callable[[Any], list], target: float) -> Case:
    """The same with the modules of nn and an optimizer."""

    def make(T: Any) -> tuple:
        network = T.nn.Sequential(*layers(T.nn))
        optimizer = T.optim.SGD(network.parameters(), lr=RATE)
        return T.randn(batch, *images), T.arange(batch) % 10, network, optimizer

    def work(T: Any, x: Any, labels: Any, network: Any, optimizer: Any) -> Any:
        optimizer.zero_grad()
        loss = T.nn.functional.cross_entropy(network(x), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return Case("training steps", name, on(make, work), target)


TRAINING = (
    training("64-32-10, batch 32", 32, (64,), ((32, 64), (32,), (10, 32), (10,)), perceptron, 1.0),
    training("64-256-10, batch 128", 128, (64,), ((256, 64), (256,), (10, 256), (10,)), perceptron, 1.2),
    training("64-256-10, batch 128, autocast", 128, (64,), ((256, 64), (256,), (10, 256), (10,)), in_autocast, 1.2),
    training("conv 1-16-32 of 8 x 8, pool, linear, batch 64", 64, (1, 8, 8),
             ((16, 1, 3, 3), (16,), (32, 16, 3, 3), (32,), (10, 512), (10,)), convolutional, 2.0),
    by_modules("64-32-10, batch 32, nn.Sequential and optim.SGD", 32, (64,),
               lambda nn: [nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)], 1.0),
    by_modules("64-256-10, batch 128, nn.Sequential and optim.SGD", 128, (64,),
               lambda nn: [nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)], 1.2),
    by_modules("conv 1-16-32, pool, linear, nn.Sequential and optim.SGD", 64, (1, 8, 8),
               lambda nn: [nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
                           nn.MaxPool2d(2), nn.Flatten(), nn.Linear(512, 10)], 2.0),
)  # fmt: skip

CALLS = 100  # of a work here: a mode is entered once for them


def by_python(work: Callable[..., Any]) -> Callable[[Any], Work]:
    """work(x, mode, wrap) on 8 elements: a class of modes, and a class of wrappers, that hand each call on."""

    def prepare(T: Any) -> Work:
        base = importlib.import_module(f"{T.__name__}.utils._python_dispatch").TorchDispatchMode

        class Mode(base):
            def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                return func(*args, **(kwargs or {}))

        class Wrapper(T.Tensor):
            __torch_function__ = T._C._disabled_torch_function_impl

            @staticmethod
            def __new__(cls: Any, inner: Any) -> Any:
                made = T.Tensor._make_wrapper_subclass(cls, inner.size(), strides=inner.stride(), dtype=inner.dtype)
                made.inner = inner
                return made

            @classmethod
            def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                return cls(func(*(x.inner if isinstance(x, cls) else x for x in args)))

        return functools.partial(work, T.ones(8), Mode, Wrapper)

    return prepare


def in_modes(x: Any, *modes: Any) -> Any:
    """Add inside modes."""
    with contextlib.ExitStack() as stack:
        for mode in modes:
            stack.enter_context(mode())
        for _ in range(CALLS):
            y = x + x
    return y


def wrapped(x: Any, wrap: Any) -> Any:
    """Add wrappers."""
    w = wrap(x)
    for _ in range(CALLS):
        y = w + w
    return y.inner


ANSWERED = (
    Case("calls that Python answers", "100 x + x in a mode", by_python(lambda x, mode, wrap: in_modes(x, mode))),
    Case(
        "calls that Python answers", "100 x + x in two modes", by_python(lambda x, mode, wrap: in_modes(x, mode, mode))
    ),
    Case("calls that Python answers", "100 x + x of wrappers", by_python(lambda x, mode, wrap: wrapped(x, wrap))),
)


def loss_of(T: Any, network: Any) -> Callable[..., Any]:
    """Return a function of a network's parameters, images and labels: the loss."""

    def loss(parameters: Any, x: Any, labels: Any) -> Any:
        return T.nn.functional.cross_entropy(T.func.functional_call(network, parameters, (x,)), labels)

    return loss


def ten_networks(T: Any) -> tuple:
    """The stacked parameters of ten networks of 64-32-10, and their gradients by one call."""
    layers = [T.nn.Sequential(T.nn.Linear(64, 32), T.nn.ReLU(), T.nn.Linear(32, 10)) for _ in range(10)]
    parameters = {name: stacked.detach() for name, stacked in T.func.stack_module_state(layers)[0].items()}
    step = T.func.vmap(T.func.grad_and_value(loss_of(T, layers[0])), in_dims=(0, None, None))
    return parameters, T.randn(32, 64), T.arange(32) % 10, step


def step_of_ten(T: Any, parameters: Any, x: Any, labels: Any, step: Any) -> Any:
    """A training step of all ten; their losses are returned."""
    gradients, losses = step(parameters, x, labels)
    for name, parameter in parameters.items():
        parameter.sub_(gradients[name], alpha=RATE)
    return losses


def per_sample(T: Any) -> tuple:
    """The parameters of one network of 64-32-10, and its gradients by each of 32 images."""
    network = T.nn.Sequential(T.nn.Linear(64, 32), T.nn.ReLU(), T.nn.Linear(32, 10))
    parameters = {name: parameter.detach() for name, parameter in network.named_parameters()}
    gradients = T.func.vmap(T.func.grad(loss_of(T, network)), in_dims=(None, 0, 0))
    return parameters, T.randn(32, 64), T.arange(32) % 10, gradients


TRANSFORMED = rows("transforms", randn((8, 8), (8, 8)), {
    "vmap add, 8 x 8": lambda T, x, y: T.func.vmap(T.add)(x, y),
    "nested vmap add, 8 x 8": lambda T, x, y: T.func.vmap(T.func.vmap(T.add))(x, y),
}) + (
    Case("transforms", "ten networks, 64-32-10, batch 32", on(ten_networks, step_of_ten)),
    Case("transforms", "per-sample gradients, 64-32-10, batch 32",
         on(per_sample, lambda T, parameters, x, labels, gradients: gradients(parameters, x, labels)["2.bias"])),
)  # fmt: skip

HALVES = rows("halves, 2048 x 2048", randn((2048, 2048), (2048, 2048), dtype="bfloat16"), {
    "x + y, bfloat16": lambda T, x, y: x + y,
    "x.exp(), bfloat16": lambda T, x, y: x.exp(),
    "x.float(), bfloat16": lambda T, x, y: x.float(),
}) + rows("halves, 2048 x 2048", randn((2048, 2048), (2048, 2048), dtype="float16"), {
    "x + y, float16": lambda T, x, y: x + y,
    "x.exp(), float16": lambda T, x, y: x.exp(),
}) + rows("halves, 2048 x 2048", randn((2048, 2048)), {
    "x.bfloat16()": lambda T, x: x.bfloat16(),
    "x.half()": lambda T, x: x.half(),
}) + rows("halves, 2048 x 2048", randn((512, 512), (512, 512), dtype="bfloat16"), {
    "x @ y, 512 x 512, bfloat16": lambda T, x, y: x @ y,
})  # fmt: skip

CASES = (
    SMALL
    + ANSWERED
    + TRANSFORMED
    + GRADIENTS
    + TRAINING
    + ELEMENTWISE
    + REDUCTIONS
    + NORMALIZATION
    + COPIES
    + MATMUL
    + CONVOLUTION
    + HALVES
)
