"""Every write counts one version, seen by all views; what makes a new tensor leaves it at 0."""

import pytest
from compare import assert_same, engine, needs_torch
from fresh import assert_agree, keys

IN_PLACE = (
    "x.add_(1)", "x.mul_(x)", "x.sub_(2)", "x.div_(2)", "x.zero_()", "x.fill_(3)", "x.copy_(y)", "x.neg_()", "x.exp_()",
    "x.relu_()", "x.normal_()", "x.uniform_()", "x.random_()", "x.bernoulli_(0.5)", "x[0] = 1", "x[:] = y", "x += 1",
    "x.t_()", "x.unsqueeze_(0)", "x.squeeze_()", "x.transpose_(0, 1)", "x.resize_(3, 3)", "x.resize_(2, 2)",
    "x.detach_()",
)  # fmt: skip
OUT = (
    "T.add(x, y, out=o)", "T.mul(x, 2, out=o)", "T.neg(x, out=o)", "T.exp(x, out=o)", "T.sum(x, 0, out=o)",
    "T.cat([x, y], out=o)", "T.matmul(x, y, out=o)", "T.mm(x, y, out=o)", "T.zeros(2, 2, out=o)", "T.rand(2, 2, out=o)",
    "T.full((2, 2), 1.0, out=o)", "T.arange(3, out=o)", "T.where(x > 0, x, y, out=o)", "T.eq(x, y, out=o.bool())",
    "T.empty(2, 2, out=o)",
)  # fmt: skip
NEW = (
    "x + y", "x.neg()", "x.clone()", "x.contiguous()", "x.t().contiguous()", "x.to(T.int64)", "x.double()",
    "T.cat([x, y])",
    "T.matmul(x, y)", "T.softmax(x, 0)", "x.sum()", "x.mean(0)", "x.amax(1)", "T.where(x > 0, x, y)", "T.zeros_like(x)",
    "T.ones_like(x)", "T.full_like(x, 2)", "T.rand_like(x)", "x.new_zeros(2)", "T.zeros(2)", "T.randn(2)",
    "T.randperm(3)",
    "T.arange(3)", "T.tensor([1.0])", "x.expand(2, 2, 2).reshape(-1)", "T.relu(x)", "x.bernoulli()",
)  # fmt: skip


def run(T, statement):
    """Versions of everything after a statement."""
    x, y, o = T.ones(2, 2), T.ones(2, 2), T.zeros(2, 2)
    view, row, same = x.view(4), x[0], x.detach()
    scope = {"T": T, "x": x, "y": y, "o": o}
    exec(statement, scope)
    return [tensor._version for tensor in (scope["x"], y, o, view, row, same)]


@needs_torch
@pytest.mark.parametrize("statement", IN_PLACE)
def test_a_write_in_place_counts_for_the_tensor_and_its_views(statement):
    assert_same(lambda T: run(T, statement))


@needs_torch
@pytest.mark.parametrize("statement", OUT)
def test_a_write_into_out_counts_for_it_alone(statement):
    assert_same(lambda T: run(T, statement))


@needs_torch
@pytest.mark.parametrize("expression", NEW)
def test_a_new_tensor_has_version_0_and_nothing_else_changed(expression):
    def program(T):
        versions = run(T, f"z = {expression}")
        return eval(expression, {"T": T, "x": T.ones(2, 2), "y": T.ones(2, 2)})._version, versions

    assert_same(program)


@needs_torch
def test_a_write_through_a_view_counts_for_its_base_and_all_its_views():
    def program(T):
        x = T.zeros(2, 3)
        views = [x[0], x.t(), x.view(6)[1:], x.expand(2, 2, 3), x.detach(), x.unbind(1)[0], x.split(1)[1]]
        counts = []
        for view in views[:3]:
            view.add_(1)
            counts.append([x._version, *(other._version for other in views)])
        return counts

    assert_same(program)


@needs_torch
def test_a_copy_counts_for_itself():
    def program(T):
        x = T.zeros(2)
        copy = x.clone()
        copy.add_(1)
        return x._version, copy._version

    assert_same(program)


@needs_torch
def test_the_version_counts_from_the_kernel_at_adinplaceorview_on():
    def program(T, fresh):
        x, key_set = T.ones(2), keys(T, "CPU")
        versions = []
        T.ops.aten.add_.Tensor.redispatch(key_set, x, x)
        versions.append(x._version)
        T.ops.aten.add_.Tensor.redispatch(keys(T, "CPU", "ADInplaceOrView"), x, x)
        versions.append(x._version)
        with T._C._AutoDispatchBelowADInplaceOrView():
            x.add_(1)
        versions.append(x._version)
        x.add_(1)
        return [*versions, x._version]

    assert_agree(program)


def test_the_exception_of_a_kernel_counts_nothing_and_restores_the_thread():
    from engine.dispatch.local import DEFAULT_EXCLUDED, local

    x = engine.ones(2)
    with pytest.raises(RuntimeError):
        x.add_(engine.ones(3))
    assert x._version == 0
    assert local.state.excluded == DEFAULT_EXCLUDED
    x.add_(1)
    assert x._version == 1
