"""torch.autograd.Function: what becomes of the results; writes and views."""

from .observe import graph, raised, shares_memory
from .own_functions import identity


def several_outputs(T):
    class Split(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return a * 2 + b * 3

    x = T.tensor([1.0, 2.0], requires_grad=True)
    a, b = Split.apply(x)
    (a + 10 * b).sum().backward()
    return a, b, a.grad_fn is b.grad_fn, x.grad


def unused_outputs_get_zeros_or_none(T):
    def split(materialize):
        seen = []

        class Split(T.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(materialize)
                return x * 2, x.sum()

            @staticmethod
            def backward(ctx, a, b):
                seen.append((a, b))
                return a

        a, _ = Split.apply(T.ones(2, requires_grad=True))
        a.sum().backward()
        return seen

    return split(True), split(False)


def outputs_that_are_no_tensors(T):
    class Both(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, "text", 3

        @staticmethod
        def backward(ctx, grad, text, number):
            return grad * 2 if text is None and number is None else None

    x = T.ones(2, requires_grad=True)
    y, text, number = Both.apply(x)
    y.sum().backward()
    return y, text, number, x.grad


def mark_non_differentiable(T):
    class Sort(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            values, indices = x.sort()
            ctx.mark_non_differentiable(indices)
            ctx.save_for_backward(indices)
            return values, indices

        @staticmethod
        def backward(ctx, grad, of_indices):
            (indices,) = ctx.saved_tensors
            return T.zeros_like(grad).scatter(0, indices, grad)

    x = T.tensor([3.0, 1.0], requires_grad=True)
    values, indices = Sort.apply(x)
    (values * T.tensor([1.0, 10.0])).sum().backward()
    return values, indices, x.grad


def integer_outputs_are_not_differentiable(T):
    twice = identity(T, forward=lambda ctx, x: (x * 2, x.long()), backward=lambda ctx, grad, other: grad * 2)
    return twice.apply(T.ones(2, requires_grad=True))


def mark_dirty(T):
    class Add(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 10

    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = Add.apply(y)
    z.sum().backward()
    return z is y, z, x.grad, raised(Add.apply, T.ones(2, requires_grad=True))


def mark_dirty_of_what_is_not_returned(T):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x * 2

    return raised(identity(T, forward=forward).apply, T.ones(2, requires_grad=True) * 1)


def mark_dirty_of_a_view(T):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    x = T.arange(4.0).requires_grad_()
    y = x * 1
    v = y[:2]
    identity(T, forward=forward).apply(v)
    names = v.grad_fn.name(), y.grad_fn.name()
    y.sum().backward()
    return names, y, x.grad


def an_input_returned_as_it_is(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = identity(T, forward=lambda ctx, x: x).apply(x)
    y.sum().backward()
    return y is x, y, shares_memory(x, y), x.grad


def a_view_of_an_input_returned(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = identity(T, forward=lambda ctx, x: x.view(2), backward=lambda ctx, grad: grad * 10).apply(y)
    seen = z._is_view(), z.grad_fn.name(), shares_memory(y, z)
    z.sum().backward()
    return seen, x.grad


def a_returned_view_refuses_in_place(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = identity(T, forward=lambda ctx, x: x.view(2)).apply(y)
    return raised(z.add_, 1)


def inputs_saved_by_setup_and_returned_raise(T):
    class Same(T.autograd.Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            return grad

    return raised(Same.apply, T.ones(2, requires_grad=True))


def lists_and_numbers_are_returned_as_they_are(T):
    twice = identity(T, forward=lambda ctx, x: [x, 3])
    return twice.apply(T.ones(2, requires_grad=True))


def two_results_that_are_views_refuse_in_place(T):
    twice = identity(T, forward=lambda ctx, x: (x[:1], x[1:]), backward=lambda ctx, a, b: T.cat([a, b]))
    a, b = twice.apply(T.ones(2, requires_grad=True) * 1)
    return raised(a.add_, 1), raised(b.mul_, 2)


def mark_dirty_rebases_a_view_of_any_tensor(T):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    a, b = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    base = T.stack([a, b])
    y = identity(T, forward=forward).apply(base[1])
    node = graph(y.grad_fn)
    (y * 3 + base[0]).sum().backward()
    return node, a.grad.tolist(), b.grad.tolist()


def mark_dirty_of_an_unrecorded_view(T):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    x = T.ones(4, requires_grad=True)
    return raised(identity(T, forward=forward).apply, x[:2]), raised(identity(T, forward=forward).apply, x.unbind()[0])
