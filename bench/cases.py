"""What is measured: each case makes its inputs with `T = engine` or `T = torch` and returns the work to time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """A name for the table, and the work: `prepare(T)()` returns a tensor."""

    name: str
    prepare: Callable[[Any], Callable[[], Any]]


def on(make: Callable[[Any], Any], work: Callable[[Any], Any]) -> Callable[[Any], Callable[[], Any]]:
    """The work on an input that is made once."""

    def prepare(T: Any) -> Callable[[], Any]:
        x = make(T)
        return lambda: work(x)

    return prepare


def matrix(T: Any) -> Any:
    return T.arange(2048 * 2048, dtype=T.float32).view(2048, 2048)


def images(T: Any) -> Any:
    return T.arange(32 * 64 * 28 * 28, dtype=T.float32).view(32, 64, 28, 28)


def small(T: Any) -> Any:
    return T.arange(24).view(2, 3, 4)


def into(make: Callable[[Any], Any], view: Callable[[Any], Any]) -> Callable[[Any], Callable[[], Any]]:
    """The view of an input, written into a tensor that is there already: no memory is asked for."""

    def prepare(T: Any) -> Callable[[], Any]:
        source = view(make(T))
        target = T.zeros(*source.shape, dtype=source.dtype)
        return lambda: target.copy_(source)

    return prepare


def eight(T: Any) -> Any:
    return T.arange(8, dtype=T.float32)


def row_of_eight(T: Any) -> Any:
    return T.arange(32, dtype=T.float32).view(4, 8)


def square(T: Any) -> Any:
    return T.arange(256 * 256, dtype=T.float32).view(256, 256) * 1e-4


def on_two(make: Callable[[Any], Any], work: Callable[[Any, Any], Any]) -> Callable[[Any], Callable[[], Any]]:
    """The work on two inputs that are made once, alike."""

    def prepare(T: Any) -> Callable[[], Any]:
        x, y = make(T), make(T)
        return lambda: work(x, y)

    return prepare


def seeded(work: Callable[[Any], Any]) -> Callable[[Any], Callable[[], Any]]:
    """The work after the default generator was given its seed, once."""

    def prepare(T: Any) -> Callable[[], Any]:
        T.manual_seed(0)
        return lambda: work(T)

    return prepare


CASES = (
    Case("x + y, 8 elements", on_two(eight, lambda x, y: x + y)),
    Case("x + 2, 8 elements", on(eight, lambda x: x + 2)),
    Case("x.add_(y), 8 elements", on_two(eight, lambda x, y: x.add_(y))),
    Case("x + row, 4 x 8 and 8", on(row_of_eight, lambda x: x + x[0])),
    Case("x * y, 8 elements", on_two(eight, lambda x, y: x * y)),
    Case("x / y, 8 elements", on_two(eight, lambda x, y: x / y)),
    Case("x.lt(y), 8 elements", on_two(eight, lambda x, y: x.lt(y))),
    Case("x.exp(), 8 elements", on(eight, lambda x: x.exp())),
    Case("x.sum(), 8 elements", on(eight, lambda x: x.sum())),
    Case("x.sum(1), 4 x 8", on(row_of_eight, lambda x: x.sum(1))),
    Case("x.softmax(1), 4 x 8", on(row_of_eight, lambda x: x.softmax(1))),
    Case("x @ x.t(), 4 x 8", on(row_of_eight, lambda x: x @ x.t())),
    Case("x @ x, 256 x 256", on(square, lambda x: x @ x)),
    Case("x.mean(), 8 elements", on(eight, lambda x: x.mean())),
    Case("x.amax(1), 4 x 8", on(row_of_eight, lambda x: x.amax(1))),
    Case("x.eq(y), 8 elements", on_two(eight, lambda x, y: x.eq(y))),
    Case("x.where(x > 3, y), 8 elements", on_two(eight, lambda x, y: x.where(x > 3, y))),
    Case("x.copy_(y), 8 elements", on_two(eight, lambda x, y: x.copy_(y))),
    Case("x.zero_(), 8 elements", on(eight, lambda x: x.zero_())),
    Case("x.double(), 8 elements", on(eight, lambda x: x.double())),
    Case("x[1:], 8 elements", on(eight, lambda x: x[1:])),
    Case("zeros(8)", lambda T: lambda: T.zeros(8)),
    Case("ones(8)", lambda T: lambda: T.ones(8)),
    Case("full((8,), 2.5)", lambda T: lambda: T.full((8,), 2.5)),
    Case("arange(8)", lambda T: lambda: T.arange(8)),
    Case("tensor([1.0, 2.0])", lambda T: lambda: T.tensor([1.0, 2.0])),
    Case("cat of two, 8 elements", lambda T: on_two(eight, lambda x, y: T.cat((x, y)))(T)),
    Case("randn(8)", seeded(lambda T: T.randn(8))),
    Case("rand(8)", seeded(lambda T: T.rand(8))),
    Case("x + y, 2048 x 2048", on_two(matrix, lambda x, y: x + y)),
    Case("x + y.t(), 2048 x 2048", on_two(matrix, lambda x, y: x + y.t())),
    Case("x.exp(), 2048 x 2048, of zeros", on(lambda T: T.zeros(2048, 2048), lambda x: x.exp())),
    Case("x.sum(), 2048 x 2048 of ones", on(lambda T: T.ones(2048, 2048), lambda x: x.sum())),
    Case("x.sum(1), 10,000 x 100 of ones", on(lambda T: T.ones(10_000, 100), lambda x: x.sum(1))),
    Case("x.amax(), 2048 x 2048", on(matrix, lambda x: x.amax())),
    Case("x.amax(1), 2048 x 2048", on(matrix, lambda x: x.amax(1))),
    Case("x.softmax(1), 2048 x 2048", on(matrix, lambda x: x.softmax(1))),
    Case("x.softmax(0), 2048 x 2048", on(matrix, lambda x: x.softmax(0))),
    Case("x.add_(x), 2048 x 2048 of zeros", on(lambda T: T.zeros(2048, 2048), lambda x: x.add_(x))),
    Case("copy_, contiguous, 2048 x 2048 float32", into(matrix, lambda x: x)),
    Case("copy_, transposed, 2048 x 2048 float32", into(matrix, lambda x: x.t())),
    Case("copy_, every second column, 2048 x 1024 float32", into(matrix, lambda x: x[:, ::2])),
    Case("copy_, one row expanded, 2048 x 2048 float32", into(matrix, lambda x: x[:1].expand(2048, 2048))),
    Case("x.t().contiguous(), 2048 x 2048 float32", on(matrix, lambda x: x.t().contiguous())),
    Case("x.clone(), 2048 x 2048 float32", on(matrix, lambda x: x.clone())),
    Case("x.double(), 2048 x 2048 float32", on(matrix, lambda x: x.double())),
    Case("x.long(), 2048 x 2048 float32", on(matrix, lambda x: x.long())),
    Case("channels_last, 32 x 64 x 28 x 28", on(images, lambda x: x.permute(0, 2, 3, 1).contiguous())),
    Case("x.fill_(1), 2048 x 2048 float32", on(matrix, lambda x: x.fill_(1))),
    Case("x.view(6, 4)", on(small, lambda x: x.view(6, 4))),
    Case("x.transpose(0, 1)", on(small, lambda x: x.transpose(0, 1))),
    Case("x.permute(2, 0, 1)", on(small, lambda x: x.permute(2, 0, 1))),
    Case("x.unfold(2, 2, 1)", on(small, lambda x: x.unfold(2, 2, 1))),
    Case("x.expand(5, 2, 3, 4)", on(small, lambda x: x.expand(5, 2, 3, 4))),
    Case("x[1]", on(small, lambda x: x[1])),
    Case("x[:, 1:, ::2]", on(small, lambda x: x[:, 1:, ::2])),
    Case("x.clone(), 24 elements", on(small, lambda x: x.clone())),
    Case("x.fill_(1), 24 elements", on(small, lambda x: x.fill_(1))),
)
