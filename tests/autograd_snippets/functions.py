"""torch.autograd.Function: operators with a backward of one's own."""

from .observe import graph, raised, shares_memory


def _square(T):
    class Square(T.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    return Square


def _identity(T, **backwards):
    """A Function that multiplies by two, with some of its parts replaced."""
    parts = {
        "forward": staticmethod(lambda ctx, x: x * 2),
        "backward": staticmethod(lambda ctx, grad: grad * 2),
        **{name: staticmethod(part) for name, part in backwards.items()},
    }
    return type("Twice", (T.autograd.Function,), parts)


def forward_and_backward(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = _square(T).apply(x)
    y.sum().backward()
    return y, x.grad, y.grad_fn.name(), type(y.grad_fn).__name__


def the_node_stands_in_the_graph(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = _square(T).apply(x * 3) + 1
    node = y.grad_fn.next_functions[0][0]
    return node, node.next_functions, isinstance(node, T.autograd.graph.Node), node.saved_tensors, node.needs_input_grad


def of_constants_makes_a_constant(T):
    y = _square(T).apply(T.ones(2))
    return y, y.grad_fn


def under_no_grad(T):
    with T.no_grad():
        return _square(T).apply(T.ones(2, requires_grad=True))


def double_backward(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    (g,) = T.autograd.grad(_square(T).apply(x).sum(), x, create_graph=True)
    return g, T.autograd.grad(g.sum(), x)


def forward_records_nothing(T):
    seen = []
    twice = _identity(T, forward=lambda ctx, x: seen.append((T.is_grad_enabled(), (x * 2).requires_grad)) or x * 2)
    return twice.apply(T.ones(2, requires_grad=True)), seen


def backward_records_only_with_create_graph(T):
    seen, x = [], T.ones(2, requires_grad=True)
    twice = _identity(T, backward=lambda ctx, grad: seen.append(T.is_grad_enabled()) or grad * 2)
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
    return _identity(T).apply(x=T.ones(2, requires_grad=True))


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
    twice = _identity(T, forward=lambda ctx, x: (x * 2, x.long()), backward=lambda ctx, grad, other: grad * 2)
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

    return raised(_identity(T, forward=forward).apply, T.ones(2, requires_grad=True) * 1)


def mark_dirty_of_a_view(T):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    x = T.arange(4.0).requires_grad_()
    y = x * 1
    v = y[:2]
    _identity(T, forward=forward).apply(v)
    names = v.grad_fn.name(), y.grad_fn.name()
    y.sum().backward()
    return names, y, x.grad


def an_input_returned_as_it_is(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = _identity(T, forward=lambda ctx, x: x).apply(x)
    y.sum().backward()
    return y is x, y, shares_memory(x, y), x.grad


def a_view_of_an_input_returned(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = _identity(T, forward=lambda ctx, x: x.view(2), backward=lambda ctx, grad: grad * 10).apply(y)
    seen = z._is_view(), z.grad_fn.name(), shares_memory(y, z)
    z.sum().backward()
    return seen, x.grad


def a_returned_view_refuses_in_place(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = _identity(T, forward=lambda ctx, x: x.view(2)).apply(y)
    return raised(z.add_, 1)


def too_many_gradients_raise(T):
    twice = _identity(T, backward=lambda ctx, grad: (grad, grad))
    return raised(twice.apply(T.ones(2, requires_grad=True)).sum().backward)


def too_many_gradients_that_are_none_are_fine(T):
    x = T.ones(2, requires_grad=True)
    _identity(T, backward=lambda ctx, grad: (grad, None, None)).apply(x).sum().backward()
    return x.grad


def too_few_gradients_raise(T):
    twice = _identity(T, forward=lambda ctx, x, w: x * w, backward=lambda ctx, grad: grad)
    return raised(twice.apply(T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)).sum().backward)


def a_gradient_for_a_number_raises(T):
    twice = _identity(T, forward=lambda ctx, x, number: x * number, backward=lambda ctx, grad: (grad, grad))
    return raised(twice.apply(T.ones(2, requires_grad=True), 3).sum().backward)


def a_gradient_that_is_no_tensor(T):
    twice = _identity(T, backward=lambda ctx, grad: 3)
    return raised(twice.apply(T.ones(2, requires_grad=True)).sum().backward)


def a_gradient_of_another_shape(T):
    twice = _identity(T, backward=lambda ctx, grad: T.ones(3))
    return raised(twice.apply(T.ones(2, requires_grad=True)).sum().backward)


def a_gradient_that_broadcasts_is_summed(T):
    x = T.ones(2, requires_grad=True)
    _identity(T, backward=lambda ctx, grad: T.ones(3, 2)).apply(x).sum().backward()
    return x.grad


def a_gradient_of_another_dtype_is_cast(T):
    x = T.ones(2, requires_grad=True)
    _identity(T, backward=lambda ctx, grad: grad.double()).apply(x).sum().backward()
    return x.grad


def a_gradient_of_none(T):
    x, w = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    twice = _identity(T, forward=lambda ctx, x, w: x * w, backward=lambda ctx, grad: (grad, None))
    twice.apply(x * 1, w * 1).sum().backward()
    return x.grad, w.grad


def saved_twice_raises(T):
    x = T.ones(2, requires_grad=True)
    y = _square(T).apply(x)
    y.sum().backward()
    return raised(y.sum().backward)


def saved_and_changed_raises(T):
    x = T.ones(2, requires_grad=True)
    y = x * 1
    z = _square(T).apply(y)
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

    return raised(_identity(T, forward=forward).apply, T.ones(2, requires_grad=True))


def saved_tensors_see_saved_hooks(T):
    seen = []
    x = T.tensor([1.0, 2.0], requires_grad=True)
    with T.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t.tolist()) or t, lambda t: t):
        y = _square(T).apply(x)
    y.sum().backward()
    return seen, x.grad


def once_differentiable(T):
    backward = T.autograd.function.once_differentiable(lambda ctx, grad: grad * 2)
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = (_identity(T, backward=backward).apply(x) ** 2).sum()
    (g,) = T.autograd.grad(y, x, create_graph=True)
    return g, raised(g.sum().backward)


def once_differentiable_the_first_time(T):
    backward = T.autograd.function.once_differentiable(lambda ctx, grad: grad * 2)
    x = T.tensor([1.0, 2.0], requires_grad=True)
    _identity(T, backward=backward).apply(x).sum().backward()
    return x.grad


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
    return raised(lambda: _square(T)(T.ones(2)))


def a_function_made_an_object_warns(T):
    return type(_square(T)()).__name__


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

    return raised(_identity(T, backward=fail).apply(T.ones(2, requires_grad=True)).sum().backward)


def an_error_in_forward_comes_through(T):
    def fail(ctx, x):
        raise LookupError("from forward")

    return raised(_identity(T, forward=fail).apply, T.ones(2, requires_grad=True)), T.is_grad_enabled()


def backward_inside_backward(T):
    def backward(ctx, grad):
        with T.enable_grad():
            inner = T.tensor(3.0, requires_grad=True)
            (inner * inner).backward()
        return grad * inner.grad

    x = T.ones(2, requires_grad=True)
    _identity(T, backward=backward).apply(x).sum().backward()
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


def attributes_of_the_context(T):
    def forward(ctx, x):
        ctx.note, ctx.extra = "kept", [1, 2]
        return x * 2

    seen = []
    twice = _identity(T, forward=forward, backward=lambda ctx, grad: seen.append((ctx.note, ctx.extra)) or grad)
    y = twice.apply(T.ones(2, requires_grad=True))
    y.sum().backward()
    return seen, y.grad_fn.note, hasattr(y.grad_fn, "other")


def tensors_inside_lists_are_not_tracked(T):
    twice = _identity(T, forward=lambda ctx, xs: xs[0] * 2)
    return twice.apply([T.ones(2, requires_grad=True)])


def the_same_tensor_twice(T):
    product = _identity(T, forward=lambda ctx, x, y: x * y, backward=lambda ctx, grad: (grad * 10, grad * 100))
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
    y = _identity(T).apply(T.ones(2, requires_grad=True))
    z = y * y
    with T.no_grad():
        y.add_(1)
    return raised(z.sum().backward)


def hooks_on_the_results_of_a_function(T):
    x, order = T.ones(2, requires_grad=True), []
    y = _identity(T, backward=lambda ctx, grad: order.append("backward") or grad).apply(x)
    y.register_hook(lambda grad: order.append("tensor"))
    y.grad_fn.register_prehook(lambda grads: order.append("before"))
    y.grad_fn.register_hook(lambda inputs, outputs: order.append("after"))
    y.sum().backward()
    return order


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
    twice = _identity(T, forward=lambda ctx, x: [x, 3])
    return twice.apply(T.ones(2, requires_grad=True))


def two_results_that_are_views_refuse_in_place(T):
    twice = _identity(T, forward=lambda ctx, x: (x[:1], x[1:]), backward=lambda ctx, a, b: T.cat([a, b]))
    a, b = twice.apply(T.ones(2, requires_grad=True) * 1)
    return raised(a.add_, 1), raised(b.mul_, 2)


def both_backward_and_vjp_raise(T):
    twice = _identity(T, vjp=lambda ctx, grad: grad)
    return raised(twice.apply(T.ones(2, requires_grad=True)).sum().backward)


def mark_dirty_rebases_a_view_of_any_tensor(T):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    a, b = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    base = T.stack([a, b])
    y = _identity(T, forward=forward).apply(base[1])
    node = graph(y.grad_fn)
    (y * 3 + base[0]).sum().backward()
    return node, a.grad.tolist(), b.grad.tolist()


def mark_dirty_of_an_unrecorded_view(T):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    x = T.ones(4, requires_grad=True)
    return raised(_identity(T, forward=forward).apply, x[:2]), raised(
        _identity(T, forward=forward).apply, x.unbind()[0]
    )
