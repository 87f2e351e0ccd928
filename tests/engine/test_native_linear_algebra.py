"""mm, bmm, dot, mv and matmul against PyTorch: every pair of shapes, layouts, dtypes, and what they refuse."""

import itertools

import pytest
from compare import assert_close, engine, needs_torch, torch

pytestmark = needs_torch

KINDS = ("float32", "float64", "int64", "int32", "bool")
SHAPES = [
    (),
    (3,),
    (2, 3),
    (3, 2),
    (3, 3),
    (1, 3),
    (2, 2, 3),
    (2, 3, 2),
    (1, 3, 3),
    (5, 1, 3, 2),
    (2, 2, 3),
    (0, 3),
    (3, 0),
]


def numbers(T, sizes, kind="float32"):
    count = 1
    for size in sizes:
        count *= size
    return T.tensor([n * 7919 % 31 - 15 for n in range(count)]).to(getattr(T, kind)).view(sizes)


@pytest.mark.parametrize("shapes", list(itertools.product(SHAPES, SHAPES)), ids=str)
def test_matmul_of_any_shapes_gives_pytorchs(shapes):
    assert_close(lambda T: T.matmul(numbers(T, shapes[0]), numbers(T, shapes[1])))


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, KINDS)), ids="-".join)
def test_two_dtypes_give_pytorchs(kinds):
    for left, right in (((2, 3), (3, 2)), ((2, 2, 3), (2, 3, 2)), ((3,), (3,)), ((2, 3), (3,))):
        assert_close(lambda T, a=left, b=right: T.matmul(numbers(T, a, kinds[0]), numbers(T, b, kinds[1])))
    assert_close(lambda T: T.mm(numbers(T, (2, 3)), numbers(T, (3, 2)), out=T.zeros(2, 2, dtype=getattr(T, kinds[0]))))


@pytest.mark.parametrize("name", ["mm", "bmm", "dot", "mv"])
def test_wrong_shapes_are_refused_as_in_pytorch(name):
    for left, right in itertools.product(SHAPES, SHAPES):
        assert_close(lambda T, a=left, b=right: getattr(T, name)(numbers(T, a), numbers(T, b)))


LAYOUTS = {
    "dense": lambda T, x: x,
    "transposed": lambda T, x: x.contiguous().transpose(-1, -2).contiguous().transpose(-1, -2),
    "gaps": lambda T, x: T.cat([x, x], -1)[..., : x.size(-1)],
    "repeated": lambda T, x: x[..., :1].expand(x.size()),
}


@pytest.mark.parametrize("layouts", list(itertools.product(LAYOUTS, LAYOUTS)), ids="-".join)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (5, 6, 7), (3, 130, 5), (4, 257, 300), (130, 3, 258)], ids=str)
def test_any_layout_and_every_edge_of_a_block_give_pytorchs(sizes, layouts):
    m, k, n = sizes

    def program(T):
        a, b = numbers(T, (m, k)), numbers(T, (k, n))
        return T.mm(LAYOUTS[layouts[0]](T, a), LAYOUTS[layouts[1]](T, b))

    def batched(T):
        a, b = numbers(T, (2, m, k)), numbers(T, (2, k, n))
        return T.bmm(LAYOUTS[layouts[0]](T, a), LAYOUTS[layouts[1]](T, b))

    assert_close(program)
    assert_close(batched)


def test_folding_goes_by_strides_as_in_pytorch():
    for batch in (lambda x: x, lambda x: x.transpose(0, 1), lambda x: x.transpose(1, 2), lambda x: x.transpose(0, 2)):
        assert_close(lambda T, batch=batch: T.matmul(batch(numbers(T, (3, 3, 3))), numbers(T, (3, 3))))
        assert_close(lambda T, batch=batch: T.matmul(numbers(T, (3, 3)).t(), batch(numbers(T, (3, 3, 3)))))
        assert_close(lambda T, batch=batch: T.matmul(numbers(T, (3,)), batch(numbers(T, (3, 3, 3)))))
        assert_close(lambda T, batch=batch: T.matmul(batch(numbers(T, (3, 3, 3))), numbers(T, (3,))))


def test_out_gives_pytorchs():
    for sizes in ((2, 2), (3, 2), (0,)):
        assert_close(lambda T, s=sizes: T.mm(numbers(T, (2, 3)), numbers(T, (3, 2)), out=T.zeros(s)))
        assert_close(lambda T, s=sizes: T.matmul(numbers(T, (2, 3)), numbers(T, (3, 2)), out=T.zeros(s)))
    assert_close(lambda T: T.mm(numbers(T, (2, 3)), numbers(T, (3, 2)), out=T.zeros(2, 2).t()))
    assert_close(lambda T: T.matmul(numbers(T, (2, 3)), numbers(T, (3, 2)), out=T.zeros(2, 2, dtype=T.float64)))


MESSAGES = (
    lambda T: T.mm(T.zeros(2, 3), T.zeros(2, 3)),
    lambda T: T.mm(T.zeros(2), T.zeros(2, 3)),
    lambda T: T.mm(T.zeros(2, 3), T.zeros(3)),
    lambda T: T.mm(T.zeros(2, 3), T.zeros(3, 2, dtype=T.float64)),
    lambda T: T.mm(T.zeros(2, 3).bool(), T.zeros(3, 2).bool()),
    lambda T: T.mm(T.zeros(2, 3), T.zeros(3, 2), out=T.zeros(2, 2, dtype=T.float64)),
    lambda T: T.bmm(T.zeros(2, 3), T.zeros(2, 3)),
    lambda T: T.bmm(T.zeros(1, 2, 3), T.zeros(2, 3)),
    lambda T: T.bmm(T.zeros(2, 2, 3), T.zeros(1, 3, 2)),
    lambda T: T.bmm(T.zeros(1, 2, 3), T.zeros(1, 3, 2, dtype=T.float64)),
    lambda T: T.bmm(T.zeros(1, 2, 3).bool(), T.zeros(1, 3, 2).bool()),
    lambda T: T.matmul(T.zeros(2), T.zeros(3)),
    lambda T: T.matmul(T.zeros(2, 3), T.zeros(2)),
    lambda T: T.matmul(T.zeros(()), T.zeros(2)),
    lambda T: T.matmul(T.zeros(2), T.zeros(3, 2)),
    lambda T: T.dot(T.zeros(2), T.zeros(2, dtype=T.float64)),
)


@pytest.mark.parametrize("program", MESSAGES)
def test_errors_read_as_pytorchs(program):
    with pytest.raises(Exception) as got:
        program(engine)
    with pytest.raises(Exception) as expected:
        program(torch)
    assert type(got.value) is type(expected.value)
    assert str(got.value).splitlines()[0] == str(expected.value).splitlines()[0]
