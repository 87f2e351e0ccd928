"""torch.autograd.grad: what comes back, and for what."""

from .observe import graph, raised, shares_memory


def gradients_come_back_and_are_not_accumulated(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    result = T.autograd.grad((x * x).sum(), x)
    return type(result).__name__, result, x.grad


def of_several_inputs(T):
    x, w = T.tensor(2.0, requires_grad=True), T.tensor(3.0, requires_grad=True)
    return T.autograd.grad(x * w, [x, w]), T.autograd.grad(x * w, (w,)), x.grad


def of_a_non_leaf(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * x
    z = y * y
    return T.autograd.grad(z, [y, x]), y.retains_grad


def of_a_tensor_with_respect_to_itself(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * 2
    return T.autograd.grad(x, x), T.autograd.grad(y, y), T.autograd.grad(y, [y, x])


def with_respect_to_an_unused_input(T):
    x, w = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    y = (x * 2).sum()
    return raised(T.autograd.grad, y, w), T.autograd.grad(y, [x, w], allow_unused=True)


def unused_inputs_as_zeros(T):
    x, w = T.ones(2, requires_grad=True), T.ones(3, dtype=T.float64, requires_grad=True)
    y = (x * 2).sum()
    return T.autograd.grad(y, [x, w], materialize_grads=True)


def zeros_and_unused_disallowed_contradict(T):
    x = T.ones(2, requires_grad=True)
    return raised(T.autograd.grad, x.sum(), x, materialize_grads=True, allow_unused=False)


def with_respect_to_a_constant(T):
    x = T.ones(2, requires_grad=True)
    return (
        raised(T.autograd.grad, x.sum(), T.ones(2)),
        raised(T.autograd.grad, x.sum(), [x, T.ones(2)], allow_unused=True),
    )


def with_respect_to_nothing(T):
    x = T.ones(2, requires_grad=True)
    return raised(T.autograd.grad, x.sum(), [])


def with_respect_to_the_same_input_twice(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    a, b = T.autograd.grad((x * x).sum(), [x, x])
    return a, b, a is b, shares_memory(a, b)


def of_several_outputs(T):
    x = T.tensor(2.0, requires_grad=True)
    return T.autograd.grad([x * x, x * 3], x)


def with_gradients_of_outputs(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y, z = x * x, x * 3
    g = T.tensor([1.0, 10.0])
    return T.autograd.grad([y, z], x, [g, T.ones(2)]), T.autograd.grad(x * x, x, grad_outputs=g)


def gradients_of_outputs_must_fit(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    return (
        raised(T.autograd.grad, y, x),
        raised(T.autograd.grad, y, x, T.ones(3)),
        raised(T.autograd.grad, [y], [x], [T.ones(2), T.ones(2)]),
        raised(T.autograd.grad, y, x, [None]),
    )


def the_graph_is_freed(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x.exp()
    T.autograd.grad(y, x)
    return raised(T.autograd.grad, y, x)


def the_graph_is_kept(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * x
    return T.autograd.grad(y, x, retain_graph=True), T.autograd.grad(y, x)


def create_graph_records(T):
    x = T.tensor(2.0, requires_grad=True)
    (g,) = T.autograd.grad(x * x * x, x, create_graph=True)
    return g, graph(g.grad_fn)


def create_graph_of_something_linear_is_a_constant(T):
    x = T.tensor(2.0, requires_grad=True)
    (g,) = T.autograd.grad(x * 3, x, create_graph=True)
    return g, raised(T.autograd.grad, g, x)


def of_a_constant(T):
    x = T.ones(2, requires_grad=True)
    return raised(T.autograd.grad, T.tensor(1.0), x), raised(T.autograd.grad, x.detach().sum(), x)


def with_respect_to_a_tensor_that_was_changed_in_place(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.add_(1)
    z = (y * y).sum()
    return T.autograd.grad(z, [y, x])


def with_respect_to_an_earlier_state_is_lost(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    old = y.view(2)
    y.add_(1)
    return T.autograd.grad(y.sum(), [old, y], allow_unused=True)


def with_respect_to_one_of_many_outputs(T):
    x = T.arange(4.0).view(2, 2).requires_grad_()
    a, b = (x * 2).unbind()
    return T.autograd.grad((a * b).sum(), [a, b, x])


def parts_beyond_the_inputs_are_not_visited(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * 2
    calls = []
    y.grad_fn.register_hook(lambda *_: calls.append("reached"))
    T.autograd.grad(y * y, y)
    return calls


def hooks_of_an_input_change_its_gradient(T):
    x = T.tensor(2.0, requires_grad=True)
    x.register_hook(lambda grad: grad * 10)
    y = x * 3
    y.register_hook(lambda grad: grad + 1)
    return T.autograd.grad(y, [y, x])


def post_accumulate_hooks_do_not_run(T):
    x = T.tensor(2.0, requires_grad=True)
    calls = []
    x.register_post_accumulate_grad_hook(calls.append)
    return T.autograd.grad(x * x, x), calls


def inside_no_grad(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * x
    with T.no_grad():
        return T.autograd.grad(y, x, retain_graph=True), T.autograd.grad(y, x, create_graph=True)


def outputs_are_looked_at_before_inputs(T):
    c = T.ones(2)
    return raised(T.autograd.grad, c.sum(), c), raised(c.sum().backward, inputs=[c])


def zeros_of_unused_inputs_have_gradients_again(T):
    x, a = T.tensor(0.5, requires_grad=True), T.tensor(1.0, requires_grad=True)
    (d,) = T.autograd.grad(x * a, x, create_graph=True)
    second = T.autograd.grad(d, x, create_graph=True, materialize_grads=True)
    return second, T.autograd.grad(second, x, materialize_grads=True), T.autograd.grad(a, x, materialize_grads=True)
