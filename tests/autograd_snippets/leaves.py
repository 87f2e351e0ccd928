"""Flags: which tensors require a gradient, are leaves, keep their gradient."""

import copy

import numpy as np

from .observe import raised, shares_memory


def a_tensor_that_requires_grad_is_a_leaf_without_node(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    return x, x.grad_fn, x.grad, x.output_nr


def a_result_of_constants_is_a_leaf(T):
    x = T.ones(2)
    return x * 2, (x * 2).requires_grad_()


def a_result_that_requires_grad_is_no_leaf(T):
    x = T.ones(2, requires_grad=True)
    return x * 2, x + T.ones(2), (x * 2).grad_fn is None


def one_input_that_requires_grad_is_enough(T):
    x, w = T.ones(2), T.full((2,), 3.0, requires_grad=True)
    y = x * w
    y.sum().backward()
    return y, x.grad, w.grad


def factories_take_requires_grad(T):
    made = [
        T.zeros(2, requires_grad=True), T.ones(2, requires_grad=True), T.full((2,), 1.5, requires_grad=True),
        T.arange(3.0, requires_grad=True), T.linspace(0, 1, 3, requires_grad=True), T.eye(2, requires_grad=True),
        T.zeros_like(T.ones(2), requires_grad=True), T.ones(2).new_zeros(3, requires_grad=True),
    ]  # fmt: skip
    return made, T.rand(2, requires_grad=True).requires_grad, T.randn(2, requires_grad=True).is_leaf


def likes_do_not_inherit_requires_grad(T):
    x = T.ones(2, requires_grad=True)
    return T.zeros_like(x), T.ones_like(x), x.new_ones(2), T.full_like(x, 2.0)


def a_tensor_of_integers_cannot_require_grad(T):
    return raised(T.tensor, [1, 2], requires_grad=True), raised(T.ones(2, dtype=T.int64).requires_grad_)


def a_factory_of_integers_cannot_require_grad(T):
    return (
        raised(T.ones, 2, dtype=T.int64, requires_grad=True),
        raised(T.zeros, 2, dtype=T.bool, requires_grad=True),
        raised(T.arange, 3, requires_grad=True),
    )


def setting_requires_grad_of_integers_raises(T):
    x = T.tensor([1, 2])
    x.requires_grad = False
    return raised(setattr, x, "requires_grad", True), raised(x.requires_grad_, True), x.requires_grad_(False)


def setting_requires_grad_to_something_else_raises(T):
    x = T.ones(2)
    return raised(setattr, x, "requires_grad", 1), raised(setattr, x, "requires_grad", None)


def requires_grad_cannot_be_deleted(T):
    x = T.ones(2)
    return raised(delattr, x, "requires_grad")


def requires_grad_of_a_non_leaf_cannot_be_unset(T):
    y = T.ones(2, requires_grad=True) * 2
    return raised(y.requires_grad_, False), raised(setattr, y, "requires_grad", False), y.requires_grad_(True)


def requires_grad_returns_the_tensor_itself(T):
    x = T.ones(2)
    return x.requires_grad_() is x, x.requires_grad, x.requires_grad_(False) is x, x.requires_grad


def requires_grad_of_a_leaf_may_be_unset(T):
    x = T.ones(2, requires_grad=True)
    y = x * 2
    x.requires_grad = False
    z = x * 2
    y.sum().backward()
    return x, x.grad, z


def requires_grad_set_after_a_use_does_not_reach_back(T):
    x = T.ones(2)
    y = x * 2
    x.requires_grad_()
    return y, raised(y.sum().backward), (x * 2).grad_fn


def attributes_that_are_read_only(T):
    x = T.ones(2, requires_grad=True)
    return [type(_error(setattr, x, name, None)).__name__ for name in ("grad_fn", "is_leaf", "output_nr", "_base")]


def _error(call, *args):
    try:
        call(*args)
    except Exception as error:
        return error


def detach_is_a_constant_over_the_same_memory(T):
    x = T.ones(2, requires_grad=True)
    d = x.detach()
    d.add_(1)
    return d, x, shares_memory(d, x), d._base is None


def detach_of_a_non_leaf(T):
    y = T.ones(2, requires_grad=True) * 2
    d = y.detach()
    return d, d.requires_grad_(), (d * y).grad_fn.next_functions


def detach_in_place_makes_a_leaf(T):
    y = T.ones(2, requires_grad=True) * 2
    back = y.detach_()
    return back is y, y, raised(y.sum().backward)


def detach_in_place_of_a_saved_input_raises(T):
    y = T.ones(2, requires_grad=True) * 2
    square, product, power, cube = y * y, y.prod(), y.pow(2), y * y
    y.detach_()
    of_constants = raised(square.sum().backward), raised(product.backward)
    y.requires_grad_()
    of_a_leaf = raised(power.sum().backward)
    y.detach_().add_(1)
    return of_constants, of_a_leaf, raised(cube.sum().backward)


def detach_in_place_of_what_is_saved_otherwise(T):
    x = T.ones(2, requires_grad=True)
    a, b, c = x * 2, x * 3, x * 4
    of_a_view, output = a.view(1, 2).square().sum(), b.exp()
    of_an_output = (output * 2).sum()
    with T.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        packed = c.square().sum()
    for y in (a, output, c):
        y.detach_()
    later = (a * x).sum()  # of a leaf by now
    for z in (of_a_view, of_an_output, packed, later):
        z.backward()
    return x.grad


def a_saved_input_that_was_detached_may_be_looked_at(T):
    class Square(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = T.ones(2, requires_grad=True)
    y = x * 2
    own, square = Square.apply(y), y * y
    y.detach_()
    own.sum().backward()
    return square.grad_fn._saved_self.tolist(), x.grad


def detach_in_place_of_a_leaf(T):
    x = T.ones(2, requires_grad=True)
    return x.detach_()


def detach_in_place_of_a_view(T):
    x = T.ones(2, requires_grad=True) * 1
    return raised(x.view(2).detach_), raised(x.unbind()[0].detach_)


def clone_is_differentiable(T):
    x = T.ones(2, requires_grad=True)
    y = x.clone()
    y.sum().backward()
    return y, x.grad, shares_memory(x, y)


def copies_that_copy_nothing_are_the_tensor_itself(T):
    x = T.ones(2, requires_grad=True)
    return x.to(T.float32) is x, x.contiguous() is x, x.float() is x, x.double()


def data_is_a_constant_with_a_version_of_its_own(T):
    x = T.ones(2, requires_grad=True)
    x.data.add_(1)
    d = x.data
    d.mul_(2)
    return x, d, shares_memory(x, d), x.data is x.data


def data_hides_writes_from_saved_tensors(T):
    x = T.ones(2, requires_grad=True)
    y = x * x
    x.data.mul_(10)
    y.sum().backward()
    return x.grad


def data_may_be_set(T):
    x = T.ones(2, requires_grad=True)
    new = T.arange(3.0)
    x.data = new
    return x, shares_memory(x, new), raised(setattr, x, "data", 3)


def data_of_another_dtype_may_be_set(T):
    x = T.ones(2)
    x.data = T.ones(3, dtype=T.float64)
    y = T.ones(2, requires_grad=True)
    return x, raised(setattr, y, "data", T.ones(2, dtype=T.int64))


def numpy_of_a_tensor_that_requires_grad_raises(T):
    x = T.ones(2, requires_grad=True)
    return raised(x.numpy), raised((x * 2).numpy), x.detach().numpy().tolist()


def numpy_of_a_tensor_that_requires_grad_under_no_grad(T):
    x = T.ones(2, requires_grad=True)
    y = x * 2
    with T.no_grad():
        x.numpy()[0] = 5.0
        seen = y.numpy().tolist(), y.__array__().tolist()
    with T.inference_mode():
        return seen, x.numpy().tolist(), x


def python_numbers_may_be_read(T):
    x = T.tensor([3.0], requires_grad=True)
    return x.item(), x.tolist(), len(x), bool(x), (x * 2).item(), float(x.sum().detach())


def a_conversion_to_a_number_warns(T):
    x = T.tensor(3.0, requires_grad=True)
    return float(x), int(x)


def grad_of_a_non_leaf_warns(T):
    y = T.ones(2, requires_grad=True) * 2
    return y.grad


def grad_of_a_non_leaf_that_retains_it_does_not_warn(T):
    y = T.ones(2, requires_grad=True) * 2
    y.retain_grad()
    y.sum().backward()
    return y, y.grad


def retain_grad_of_a_leaf_does_nothing(T):
    x = T.ones(2, requires_grad=True)
    return x.retain_grad(), x.retains_grad, x


def retain_grad_of_a_constant_raises(T):
    return raised(T.ones(2).retain_grad)


def retain_grad_sums_over_passes(T):
    x = T.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    y.retain_grad()
    y.sum().backward()
    return y.grad, x.grad


def grad_may_be_set(T):
    x = T.ones(2, requires_grad=True)
    g = T.full((2,), 5.0)
    x.grad = g
    same = x.grad is g
    (x * 2).sum().backward()
    return same, x.grad, g, x.grad is g


def grad_set_to_something_unfit_raises(T):
    x = T.ones(2, requires_grad=True)
    return (
        raised(setattr, x, "grad", 3),
        raised(setattr, x, "grad", T.ones(3)),
        raised(setattr, x, "grad", T.ones(2, dtype=T.float64)),
        raised(setattr, x, "grad", x),
    )


def grad_set_on_a_constant(T):
    x = T.ones(2)
    x.grad = T.ones(2)
    return x, x.grad


def grad_may_be_deleted(T):
    x = T.ones(2, requires_grad=True)
    x.sum().backward()
    del x.grad
    return x.grad


def a_copy_of_a_leaf_is_a_leaf_with_its_grad(T):
    x = T.ones(2, requires_grad=True)
    x.sum().backward()
    c = copy.deepcopy(x)
    return c, c.grad, shares_memory(c, x), c.grad is x.grad


def a_non_leaf_cannot_be_deeply_copied(T):
    y = T.ones(2, requires_grad=True) * 2
    return raised(copy.deepcopy, y)


def a_tensor_of_a_tensor_is_a_leaf_and_warns(T):
    x = T.ones(2, requires_grad=True)
    return T.tensor(x), T.tensor(x, requires_grad=True)


def as_tensor_keeps_the_history(T):
    y = T.ones(2, requires_grad=True) * 2
    return T.as_tensor(y) is y, T.as_tensor(y, dtype=T.float64)


def results_of_integers_and_comparisons_are_constants(T):
    x = T.tensor([1.0, 3.0, 2.0], requires_grad=True)
    return [x > 1, x == x, x.argmax(), x.argsort(), x.long(), x.isnan(), x.to(T.bool), T.nonzero(x), x.all()]


def a_comparison_may_be_a_factor(T):
    x = T.tensor([1.0, -3.0], requires_grad=True)
    y = x * (x > 0)
    y.sum().backward()
    return y, x.grad


def iterating_gives_differentiable_rows(T):
    x = T.arange(4.0).view(2, 2).requires_grad_()
    rows = list(x)
    (rows[0] * rows[1]).sum().backward()
    return rows, x.grad


def requires_grad_set_to_true_on_a_non_leaf(T):
    y = T.ones(2, requires_grad=True) * 2
    return raised(setattr, y, "requires_grad", True), y.requires_grad_() is y


def a_tensor_tells_its_history_when_printed(T):
    x = T.ones(2, requires_grad=True)
    y = x * 2
    z = x * 1
    z[0] = 3.0
    return [repr(one) for one in (x, y, x.view(2), x.detach(), x.sum(), z, z[:1], y.unbind()[1], x.long(), x.double())]


def arrays_of_tensors_that_require_grad(T):
    x = T.ones(2, requires_grad=True)
    return x.numpy(force=True).tolist(), raised(np.asarray, x), np.asarray(x.detach()).tolist()
