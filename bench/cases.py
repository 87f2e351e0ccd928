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


CASES = (
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
    Case("zeros(8)", lambda T: lambda: T.zeros(8)),
)
