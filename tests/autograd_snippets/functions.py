"""torch.autograd.Function: calls, contexts, recording."""

from .observe import raised
from .own_functions import identity, square


def forward_and_backward(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = square(T).apply(x)
    y.sum().backward()
    return y, x.grad, y.grad_fn.name(), type(y.grad_fn).__name__


def the_node_stands_in_the_graph(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = square(T).apply(x * 3) + 1
    node = y.grad_fn.next_functions[0][0]
    return node, node.next_functions, isinstance(node, T.autograd.graph.Node), node.saved_tensors, node.needs_input_grad


def of_constants_makes_a_constant(T):
    y = square(T).apply(T.ones(2))
    return y, y.grad_fn


def under_no_grad(T):
    with T.no_grad():
        return square(T).apply(T.ones(2, requires_grad=True))


def double_backward(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    (g,) = T.autograd.grad(square(T).apply(x).sum(), x, create_graph=True)
    return g, T.autograd.grad(g.sum(), x)


def forward_records_nothing(T):
    seen = []
    twice = identity(T, forward=lambda ctx, x: seen.append((T.is_grad_enabled(), (x * 2).requires_grad)) or x * 2)
    return twice.apply(T.ones(2, requires_grad=True)), seen


def backward_records_only_with_create_graph(T):
    seen, x = [], T.ones(2, requires_grad=True)
    twice = identity(T, backward=lambda ctx, grad: seen.append(T.is_grad_enabled()) or grad * 2)
    twice.apply(x).sum().backward()
    T.autograd.grad(twice.apply(x).sum(), x, create_graph=True)
    return seen


def non_tensor_arguments(T):
    class Scale(T.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, name="none"):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None, None

    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = Scale.apply(x, 3, "three")
    y.sum().backward()
    return y, x.grad, y.grad_fn.next_functions, y.grad_fn.factor


def keyword_arguments_are_passed_on(T):
    return identity(T).apply(x=T.ones(2, requires_grad=True))


def needs_input_grad(T):
    seen = []

    class Product(T.autograd.Function):
        @staticmethod
        def forward(ctx, x, w, number):
            seen.append(ctx.needs_input_grad)
            ctx.save_for_backward(x, w)
            return x * w * number

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx.needs_input_grad)
            x, w = ctx.saved_tensors
            return grad * w if ctx.needs_input_grad[0] else None, grad * x if ctx.needs_input_grad[1] else None, None

    x, w = T.tensor(2.0, requires_grad=True), T.tensor(3.0)
    Product.apply(x, w, 5).backward()
    return seen, x.grad, w.grad


def setup_context(T):
    class Square(T.autograd.Function):
        @staticmethod
        def forward(x, factor):
            return x * x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.factor = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad * ctx.factor, None

    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = Square.apply(x, 3)
    y.sum().backward()
    return y, x.grad


def missing_parts_raise(T):
    Function = T.autograd.Function
    empty = type("Empty", (Function,), {})
    no_backward = type("NoBackward", (Function,), {"forward": staticmethod(lambda ctx, x: x * 2)})
    x = T.ones(2, requires_grad=True)
    return raised(empty.apply, x), raised(no_backward.apply(x).sum().backward)


def a_function_is_not_called(T):
    return raised(square(T)(), T.ones(2))


def a_function_made_an_object_warns(T):
    return type(square(T)()).__name__


def attributes_of_the_context(T):
    def forward(ctx, x):
        ctx.note, ctx.extra = "kept", [1, 2]
        return x * 2

    seen = []
    twice = identity(T, forward=forward, backward=lambda ctx, grad: seen.append((ctx.note, ctx.extra)) or grad)
    y = twice.apply(T.ones(2, requires_grad=True))
    y.sum().backward()
    return seen, y.grad_fn.note, hasattr(y.grad_fn, "other")


def tensors_inside_lists_are_not_tracked(T):
    twice = identity(T, forward=lambda ctx, xs: xs[0] * 2)
    return twice.apply([T.ones(2, requires_grad=True)])


def hooks_on_the_results_of_a_function(T):
    x, order = T.ones(2, requires_grad=True), []
    y = identity(T, backward=lambda ctx, grad: order.append("backward") or grad).apply(x)
    y.register_hook(lambda grad: order.append("tensor"))
    y.grad_fn.register_prehook(lambda grads: order.append("before"))
    y.grad_fn.register_hook(lambda inputs, outputs: order.append("after"))
    y.sum().backward()
    return order
