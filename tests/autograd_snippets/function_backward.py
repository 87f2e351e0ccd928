"""torch.autograd.Function: what backward returns, finds saved, and raises."""

from .observe import raised
from .own_functions import identity, square


def too_many_gradients_raise(T):
    twice = identity(T, backward=lambda ctx, grad: (grad, grad))
    return raised(twice.apply(T.ones(2, requires_grad=True)).sum().backward)


def too_many_gradients_that_are_none_are_fine(T):
    x = T.ones(2, requires_grad=True)
    identity(T, backward=lambda ctx, grad: (grad, None, None)).apply(x).sum().backward()
    return x.grad


def too_few_gradients_raise(T):
    twice = identity(T, forward=lambda ctx, x, w: x * w, backward=lambda ctx, grad: grad)
    return raised(twice.apply(T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)).sum().backward)


def a_gradient_for_a_number_raises(T):
    twice = identity(T, forward=lambda ctx, x, number: x * number, backward=lambda ctx, grad: (grad, grad))
    return raised(twice.apply(T.ones(2, requires_grad=True), 3).sum().backward)


def a_gradient_that_is_no_tensor(T):
    twice = identity(T, backward=lambda ctx, grad: 3)
    return raised(twice.apply(T.ones(2, requires_grad=True)).sum().backward)


def a_gradient_of_another_shape(T):
    twice = identity(T, backward=lambda ctx, grad: T.ones(3))
    return raised(twice.apply(T.ones(2, requires_grad=True)).sum().backward)


def a_gradient_that_broadcasts_is_summed(T):
    x = T.ones(2, requires_grad=True)
    identity(T, backward=lambda ctx, grad: T.ones(3, 2)).apply(x).sum().backward()
    return x.grad


def a_gradient_of_another_dtype_is_cast(T):
    x = T.ones(2, requires_grad=True)
    identity(T, backward=lambda ctx, grad: grad.double()).apply(x).sum().backward()
    return x.grad


def a_gradient_of_none(T):
    x, w = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    twice = identity(T, forward=lambda ctx, x, w: x * w, backward=lambda ctx, grad: (grad, None))
    twice.apply(x * 1, w * 1).sum().backward()
    return x.grad, w.grad


def saved_twice_raises(T):
    x = T.ones(2, requires_grad=True)
    y = square(T).apply(x)
    y.sum().backward()
    return raised(y.sum().backward)


def saved_and_changed_raises(T):
    x = T.ones(2, requires_grad=True)
    y = x * 1
    z = square(T).apply(y)
    y.add_(1)
    return raised(z.sum().backward)


def saved_outputs(T):
    class Exp(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y, None)
            return y

        @staticmethod
        def backward(ctx, grad):
            y, nothing = ctx.saved_tensors
            return grad * y if nothing is None else None

    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = Exp.apply(x)
    (g,) = T.autograd.grad(y.sum(), x, create_graph=True)
    return y, g, T.autograd.grad(g.sum(), x)


def saving_what_is_no_tensor_raises(T):
    def forward(ctx, x):
        ctx.save_for_backward(x, 3)
        return x * 2

    return raised(identity(T, forward=forward).apply, T.ones(2, requires_grad=True))


def saved_tensors_see_saved_hooks(T):
    seen = []
    x = T.tensor([1.0, 2.0], requires_grad=True)
    with T.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t.tolist()) or t, lambda t: t):
        y = square(T).apply(x)
    y.sum().backward()
    return seen, x.grad


def once_differentiable(T):
    backward = T.autograd.function.once_differentiable(lambda ctx, grad: grad * 2)
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = (identity(T, backward=backward).apply(x) ** 2).sum()
    (g,) = T.autograd.grad(y, x, create_graph=True)
    return g, raised(g.sum().backward)


def once_differentiable_the_first_time(T):
    backward = T.autograd.function.once_differentiable(lambda ctx, grad: grad * 2)
    x = T.tensor([1.0, 2.0], requires_grad=True)
    identity(T, backward=backward).apply(x).sum().backward()
    return x.grad


def vjp_is_backward_by_another_name(T):
    twice = type("Twice", (T.autograd.Function,), {
        "forward": staticmethod(lambda ctx, x: x * 2), "vjp": staticmethod(lambda ctx, grad: grad * 2),
    })  # fmt: skip
    x = T.ones(2, requires_grad=True)
    twice.apply(x).sum().backward()
    return x.grad


def an_error_in_backward_comes_through(T):
    def fail(ctx, grad):
        raise LookupError("from backward")

    return raised(identity(T, backward=fail).apply(T.ones(2, requires_grad=True)).sum().backward)


def an_error_in_forward_comes_through(T):
    def fail(ctx, x):
        raise LookupError("from forward")

    return raised(identity(T, forward=fail).apply, T.ones(2, requires_grad=True)), T.is_grad_enabled()


def backward_inside_backward(T):
    def backward(ctx, grad):
        with T.enable_grad():
            inner = T.tensor(3.0, requires_grad=True)
            (inner * inner).backward()
        return grad * inner.grad

    x = T.ones(2, requires_grad=True)
    identity(T, backward=backward).apply(x).sum().backward()
    return x.grad


def checkpointing_by_hand(T):
    class Checkpoint(T.autograd.Function):
        @staticmethod
        def forward(ctx, run, x):
            ctx.run = run
            ctx.save_for_backward(x)
            return run(x)

        @staticmethod
        def backward(ctx, grad):
            x = ctx.saved_tensors[0].detach().requires_grad_()
            with T.enable_grad():
                y = ctx.run(x)
            T.autograd.backward(y, grad)
            return None, x.grad

    x = T.tensor([0.5, 1.0], requires_grad=True)
    Checkpoint.apply(lambda x: x.exp().sin(), x).sum().backward()
    return x.grad


def reentrant_twenty_deep(T):
    class Deep(T.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            if ctx.depth:
                with T.enable_grad():
                    inner = T.tensor(1.0, requires_grad=True)
                    Deep.apply(inner, ctx.depth - 1).backward()
            return grad * 2, None

    x = T.tensor(1.0, requires_grad=True)
    Deep.apply(x, 20).backward()
    return x.grad


def the_same_tensor_twice(T):
    product = identity(T, forward=lambda ctx, x, y: x * y, backward=lambda ctx, grad: (grad * 10, grad * 100))
    x = T.ones(2, requires_grad=True)
    product.apply(x, x).sum().backward()
    return x.grad


def needs_input_grad_is_that_of_the_call(T):
    seen = []

    class Product(T.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            return x * w

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx.needs_input_grad)
            return grad, grad

    x, w = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    T.autograd.grad(Product.apply(x, w).sum(), w)
    return seen


def messages_name_a_function_without_backward(T):
    y = identity(T).apply(T.ones(2, requires_grad=True))
    z = y * y
    with T.no_grad():
        y.add_(1)
    return raised(z.sum().backward)


def both_backward_and_vjp_raise(T):
    twice = identity(T, vjp=lambda ctx, grad: grad)
    return raised(twice.apply(T.ones(2, requires_grad=True)).sum().backward)
