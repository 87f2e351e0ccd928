"""Products with something added, einsum and its kin, layers: sizes, dtypes, numbers and errors as PyTorch's."""

import itertools

import pytest
from compare import assert_close, needs_torch
from tiers import fast_first

import engine

KINDS = ("float32", "float64", "int64", "int32", "bool")


def numbers(T, *sizes, kind="float32"):
    count = 1
    for size in sizes:
        count *= size
    return T.tensor([n * 7919 % 31 - 15 for n in range(count)]).to(getattr(T, kind)).view(sizes)


ADDED = {  # name: sizes of what is multiplied, of what it is added to
    "addmm": (((2, 3), (3, 4)), [(2, 4), (4,), (2, 1), (), (1, 1), (3,), (2, 2, 4)]),
    "addmv": (((2, 3), (3,)), [(2,), (1,), (), (3,), (2, 2)]),
    "addr": (((2,), (3,)), [(2, 3), (3,), (), (2, 1), (2,)]),
    "baddbmm": (((5, 2, 3), (5, 3, 4)), [(5, 2, 4), (2, 4), (4,), (), (5, 1, 1), (3,)]),
    "addbmm": (((5, 2, 3), (5, 3, 4)), [(2, 4), (4,), (), (3,)]),
}


@needs_torch
@pytest.mark.parametrize("name", ADDED)
def test_what_is_added_expands_and_counts_beta_times(name):
    factors, sums = ADDED[name]
    for sizes, beta, alpha in itertools.product(sums, (1, 0, 2, 0.5), (1, 3, -0.5)):

        def added(T, sizes=sizes, beta=beta, alpha=alpha):
            a, b = (numbers(T, *factor) for factor in factors)
            return getattr(T, name)(numbers(T, *sizes), a, b, beta=beta, alpha=alpha)

        assert_close(added)


@needs_torch
@pytest.mark.parametrize("name", ADDED)
def test_dtypes_and_the_in_place_and_out_forms_give_pytorchs(name):
    factors, (sizes, *_) = ADDED[name]

    def operands(T, *kinds):
        return [numbers(T, *own, kind=kind) for own, kind in zip((sizes, *factors), kinds, strict=True)]

    for kind in KINDS:
        assert_close(lambda T, kind=kind: getattr(T, name)(*operands(T, kind, kind, kind)))
        assert_close(lambda T, kind=kind: getattr(T, name)(*operands(T, kind, "float32", "float32")))
        assert_close(lambda T, kind=kind: getattr(T, name)(*operands(T, "float32", "float32", kind)))
        assert_close(lambda T, kind=kind: getattr(T, name)(*operands(T, *[kind] * 3), beta=0.5))
    for first in (sizes, ()) if name != "addbmm" else (sizes,):

        def in_place(T, first=first):
            x, a, b = operands(T, *["float32"] * 3)
            x = x if first else x.sum()
            return getattr(x, f"{name}_")(a, b, beta=2), x

        assert_close(in_place)
    for out in (sizes, (7,)):
        assert_close(lambda T, out=out: getattr(T, name)(*operands(T, *["float32"] * 3), out=T.zeros(out)))


def test_if_beta_is_0_what_is_added_may_be_nan():
    for name, (factors, (sizes, *_)) in ADDED.items():
        a, b = (engine.ones(*own) for own in factors)
        result = getattr(engine, name)(engine.full(sizes, float("nan")), a, b, beta=0)
        assert (result != result).sum().item() == 0


@needs_torch
def test_a_product_of_nothing_leaves_beta_times_what_is_added():
    for name, a, b, x in (("addmm", (2, 0), (0, 3), (2, 3)), ("addmv", (2, 0), (0,), (2,)), ("addmv", (2, 0), (0,), ()),
                          ("baddbmm", (2, 2, 0), (2, 0, 3), (2, 2, 3)), ("addbmm", (0, 2, 3), (0, 3, 2), (2, 2)),
                          ("addmm", (0, 2), (2, 3), (3,))):  # fmt: skip
        for beta in (2, 0):
            assert_close(
                lambda T, name=name, a=a, b=b, x=x, beta=beta: getattr(T, name)(
                    numbers(T, *x), numbers(T, *a), numbers(T, *b), beta=beta
                )
            )


EQUATIONS = {
    "ij,jk->ik": ((2, 3), (3, 4)),
    "ij,jk": ((2, 3), (3, 4)),
    "ij->ji": ((2, 3),),
    "ii->i": ((3, 3),),
    "ii": ((3, 3),),
    "ii,ij": ((3, 3), (3, 2)),
    "ij->": ((2, 3),),
    "ij": ((2, 3),),
    "ba": ((2, 3),),
    "...ij,...jk->...ik": ((5, 2, 3), (3, 4)),
    "...i,...i": ((2, 3), (2, 3)),
    "...i->i": ((2, 4, 3),),
    "i,j->ij": ((2,), (3,)),
    "bhid,bhjd->bhij": ((2, 2, 3, 4), (2, 2, 5, 4)),
    "a,b,c->abc": ((2,), (3,), (4,)),
    "ij,jk,kl->il": ((2, 3), (3, 4), (4, 5)),
    "bi,oij,bj->bo": ((2, 3), (4, 3, 5), (2, 5)),
    "ij,ij->": ((2, 3), (2, 3)),
    "ij,ij->j": ((2, 1), (2, 3)),
    " i j , j -> i ": ((2, 3), (3,)),
    "ij->ik": ((2, 3),),
    "ij->ii": ((2, 3),),
    "ijk": ((2, 3),),
    "...ijk": ((2, 3),),
    "i1": ((2, 3),),
    "i.j": ((2, 3),),
    "......": ((2, 3),),
    "ij,jk->i": ((2, 3), (2, 3)),
    "i,j": ((2,),),
    "i": ((2,), (2,)),
}


@needs_torch
@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum_gives_pytorchs(equation):
    sizes = EQUATIONS[equation]
    assert_close(lambda T: T.einsum(equation, *[numbers(T, *own) for own in sizes]).contiguous())


@needs_torch
def test_einsum_takes_subscripts_as_numbers_and_a_list_of_operands():
    assert_close(lambda T: T.einsum(numbers(T, 2, 3), [0, 1], numbers(T, 3, 4), [1, 2], [0, 2]))
    assert_close(lambda T: T.einsum(numbers(T, 2, 3), [0, 1], numbers(T, 3, 4), [1, 2]))
    assert_close(lambda T: T.einsum(numbers(T, 5, 2, 3), [..., 0, 1], [0, 1]))
    assert_close(lambda T: T.einsum("i,i", [numbers(T, 3), numbers(T, 3)]))
    assert_close(lambda T: T.einsum("i"))
    assert_close(lambda T: T.einsum("", []))
    assert_close(lambda T: T.einsum([], []))
    assert_close(lambda T: T.einsum(numbers(T, 2), [60]))


SUMS = (
    lambda T: T.tensordot(numbers(T, 2, 3, 4), numbers(T, 3, 4, 5)),
    lambda T: T.tensordot(numbers(T, 2, 3, 4), numbers(T, 4, 3), dims=([1, 2], [1, 0])),
    lambda T: T.tensordot(numbers(T, 2, 3), numbers(T, 1, 2), dims=1),
    lambda T: T.tensordot(numbers(T, 2, 3), numbers(T, 4, 2), dims=1),
    lambda T: T.tensordot(numbers(T, 2, 3), numbers(T, 3, 2), dims=0),
    lambda T: T.tensordot(numbers(T, 2, 3), numbers(T, 3, 2), dims=3),
    lambda T: T.tensordot(numbers(T, 2, 3), numbers(T, 3, 2), dims=-1),
    lambda T: T.tensordot(numbers(T, 2, 3), numbers(T, 3, 2), dims=T.tensor([[1], [0]])),
    lambda T: T.tensordot(numbers(T, 2, 3), numbers(T, 3, 2), dims=1, out=T.zeros(2, 2)),
    lambda T: T.inner(numbers(T, 2, 3), numbers(T, 4, 3)),
    lambda T: T.inner(numbers(T, 2, 3), numbers(T, 4)),
    lambda T: T.inner(numbers(T, 2, 3), numbers(T)),
    lambda T: T.inner(numbers(T, 3), numbers(T, 3), out=T.zeros(())),
    lambda T: T.kron(numbers(T, 2, 3), numbers(T, 4)),
    lambda T: T.kron(numbers(T), numbers(T, 2, 2)),
    lambda T: T.outer(numbers(T, 2), numbers(T, 3, kind="int64")),
    lambda T: T.outer(numbers(T, 2, 1), numbers(T, 3)),
    lambda T: T.ger(numbers(T, 2), numbers(T, 3), out=T.zeros(2, 3)),
    lambda T: T.trace(numbers(T, 3, 4)),
    lambda T: T.trace(numbers(T, 3, 4, kind="int32")),
    lambda T: T.trace(numbers(T, 3, 4, kind="bool")),
    lambda T: T.trace(numbers(T, 3)),
    lambda T: T.vdot(numbers(T, 3), numbers(T, 3)),
    lambda T: T.dot(numbers(T, 3), numbers(T, 3), out=T.zeros(())),
    lambda T: T.dot(numbers(T, 3), numbers(T, 3), out=T.zeros((), dtype=T.float64)),
    lambda T: T.mv(numbers(T, 2, 3), numbers(T, 3), out=T.zeros(2)),
    lambda T: T.mv(numbers(T, 2, 3), numbers(T, 3), out=T.zeros(3)),
    lambda T: T.mv(numbers(T, 2, 3), numbers(T, 3), out=T.zeros(2, 2)),
    lambda T: T.mv(numbers(T, 2, 3), numbers(T, 3), out=T.zeros(0)),
    lambda T: T.mv(numbers(T, 2, 0), numbers(T, 0), out=T.zeros(3)),
    lambda T: T.mv(numbers(T, 2, 3), numbers(T, 4), out=T.zeros(3)),
    lambda T: T.mv(numbers(T, 2, 3), numbers(T, 3), out=T.zeros(3, dtype=T.float64)),
    lambda T: T.mv(numbers(T), numbers(T, 3), out=T.zeros(3)),
    lambda T: T.chain_matmul(numbers(T, 2, 3), numbers(T, 3, 4), numbers(T, 4, 1)),
    lambda T: T.chain_matmul(),
)


@needs_torch
@pytest.mark.parametrize("program", SUMS)
def test_sums_of_products_give_pytorchs(program):
    assert_close(program)


@needs_torch
@pytest.mark.parametrize("sizes", [(2, 3), (5, 2, 3), (2, 5, 2, 3), (3,), (), (0, 3), (2, 4)], ids=str)
def test_linear_gives_pytorchs(sizes):
    for bias in ((4,), None, (), (2,)):
        for weight in ((4, 3), (3,)):

            def program(T, bias=bias, weight=weight):
                added = None if bias is None else numbers(T, *bias)
                return T._C._nn.linear(numbers(T, *sizes), numbers(T, *weight), added)

            assert_close(program)


@needs_torch
def test_bilinear_gives_pytorchs():
    for one, two, weight in (((2, 3), (2, 5), (4, 3, 5)), ((6, 2, 3), (6, 2, 5), (4, 3, 5)),
                             ((2, 3), (1, 5), (4, 3, 5)), ((2, 3), (2, 5), (4, 5, 3))):  # fmt: skip
        assert_close(
            lambda T, one=one, two=two, weight=weight: T.bilinear(
                numbers(T, *one), numbers(T, *two), numbers(T, *weight), numbers(T, 4)
            )
        )


def plain_product(a, b):
    columns = list(zip(*b, strict=True))
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in columns] for row in a]


@pytest.mark.parametrize("threads", fast_first(1, [2, 1, 3]))
@pytest.mark.parametrize(
    "sizes", fast_first(1, [(70, 300, 130), (9, 70, 300), (300, 70, 9), (1, 300, 600), (600, 300, 1)]), ids=str
)
def test_threads_do_not_change_a_product(sizes, threads):
    m, k, n = sizes
    a, b = numbers(engine, m, k), numbers(engine, k, n)
    before = engine.get_num_threads()
    try:
        engine.set_num_threads(threads)
        for left, right in ((a, b), (a.t().contiguous().t(), b), (a, b.t().contiguous().t())):
            assert (left @ right).tolist() == plain_product(a.tolist(), b.tolist())
            assert engine.stack([left, left]).bmm(engine.stack([right, right]))[1].tolist() == (left @ right).tolist()
    finally:
        engine.set_num_threads(before)


@needs_torch
@pytest.mark.parametrize("name", ["mm", "addmm"])
def test_a_product_refuses_outputs_that_share_cells(name):
    def program(T):
        given = (T.ones(5, 4),) if name == "addmm" else ()
        return getattr(T, name)(*given, T.ones(5, 3), T.ones(3, 4), out=T.zeros(4).expand(5, 4))

    assert_close(program)


@needs_torch
def test_kron_writes_through_a_view():
    assert_close(lambda T: T.kron(numbers(T, 2, 3), numbers(T, 4, 1), out=T.zeros(8, 3)))


@pytest.mark.parametrize("kind", fast_first(1, KINDS[:4]))
@pytest.mark.parametrize("m, k, n", [(2, 1, 2), (9, 5, 33), (8, 7, 32), (17, 64, 70)])
def test_small_products_are_the_plain_loops(m, k, n, kind):
    a, b = numbers(engine, m, k, kind=kind), numbers(engine, k, n, kind=kind)
    rows, columns = a.tolist(), list(zip(*b.tolist(), strict=True))
    expected = [[sum(x * y for x, y in zip(row, column, strict=True)) for column in columns] for row in rows]
    assert a.mm(b).tolist() == expected
    assert a.mm(b.t().contiguous().t()).tolist() == expected
    assert a.t().contiguous().t().mm(b).tolist() == expected
    out = engine.zeros(n, m).to(a.dtype).t()
    assert engine.mm(a, b, out=out).tolist() == expected


LAYOUTS = "rows", "columns", "apart"


def laid_out(x, how, pad):
    """The same numbers, `pad` unused cells behind each row ("rows") or column ("columns"), or two cells apart."""
    rows, columns = x.shape
    if how == "columns":
        return laid_out(x.t(), "rows", pad).t()
    step = 2 if how == "apart" else 1
    made = engine.zeros(rows, step * columns + pad, dtype=x.dtype)[:, : step * columns : step]
    return made.copy_(x)


@pytest.mark.parametrize("kind", fast_first(1, KINDS[:4]))
@pytest.mark.parametrize(
    "sizes", fast_first(2, [(61, 257, 97), (45, 30, 100), (100, 300, 40), (130, 70, 600)]), ids=str
)
def test_layouts_and_threads_do_not_change_a_product_that_reads_a_in_place(sizes, kind):
    m, k, n = sizes
    a, b, c = (numbers(engine, *each, kind=kind) for each in ((m, k), (k, n), (m, n)))
    product = (a.double().numpy() @ b.double().numpy()).tolist()
    more = (2 * engine.tensor(product).double() + 3 * c.double()).tolist()
    before = engine.get_num_threads()
    try:
        for threads, of_a, of_b in itertools.product((1, 2), LAYOUTS, LAYOUTS):
            engine.set_num_threads(threads)
            left, right = laid_out(a, of_a, 1024 - k), laid_out(b, of_b, 3)  # rows of A that collide in a cache
            assert (left @ right).tolist() == product
            assert engine.addmm(c, left, right, alpha=2, beta=3).tolist() == more
            assert engine.stack([left, left]).bmm(engine.stack([right, right]))[1].tolist() == product
            out = laid_out(engine.zeros(m, n, dtype=a.dtype), of_a, 1)
            assert engine.mm(left, right, out=out).tolist() == product
    finally:
        engine.set_num_threads(before)
