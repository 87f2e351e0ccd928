"""Hooks of tensors, accumulators and nodes: when they run, in which order, what they may change."""

from .observe import raised


def a_hook_of_a_leaf_sees_its_gradient(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    x.register_hook(lambda grad: seen.append(grad))
    (x * 3).sum().backward()
    return seen, x.grad


def a_hook_of_a_leaf_changes_its_gradient(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda grad: grad * 10)
    (x * 3).sum().backward()
    (x * 3).sum().backward()
    return x.grad


def a_hook_sees_the_sum_of_all_uses(T):
    x = T.tensor(2.0, requires_grad=True)
    seen = []
    y = x * 2
    y.register_hook(lambda grad: seen.append(grad.item()))
    x.register_hook(lambda grad: seen.append(grad.item()))
    (y * 3 + y * 4 + x).backward()
    return seen, x.grad


def a_hook_of_a_non_leaf_changes_what_flows_on(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.register_hook(lambda grad: grad + 1)
    y.sum().backward()
    return x.grad


def hooks_run_in_the_order_of_registration(T):
    x = T.tensor(2.0, requires_grad=True)
    y, order = x * 1, []
    for name, factor in (("a", 2), ("b", 3)):
        y.register_hook(lambda grad, name=name, factor=factor: order.append((name, grad.item())) or grad * factor)
    y.backward()
    return order, x.grad


def a_removed_hook_does_not_run(T):
    x = T.tensor(2.0, requires_grad=True)
    y, order = x * 1, []
    y.register_hook(lambda grad: order.append("kept"))
    handle = y.register_hook(lambda grad: order.append("removed"))
    handle.remove()
    handle.remove()
    y.backward()
    return order


def a_handle_is_a_context_manager(T):
    x = T.tensor(2.0, requires_grad=True)
    calls = []
    with x.register_hook(lambda grad: calls.append(1)):
        (x * 2).backward()
    (x * 2).backward()
    return calls


def hooks_need_a_tensor_that_requires_grad(T):
    return raised(T.ones(2).register_hook, print), raised(T.ones(2).register_post_accumulate_grad_hook, print)


def a_hook_that_returns_something_else_raises(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.register_hook(lambda grad: 3)
    return raised(y.sum().backward)


def a_hook_that_returns_another_shape_raises(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.register_hook(lambda grad: T.ones(3))
    return raised(y.sum().backward)


def a_hook_that_returns_another_dtype_raises(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    y.register_hook(lambda grad: grad.double())
    return raised(y.sum().backward)


def a_hook_that_raises_ends_backward(T):
    x, w = T.tensor(2.0, requires_grad=True), T.tensor(3.0, requires_grad=True)
    y = x * w

    def fail(grad):
        raise KeyError("from a hook")

    y.register_hook(fail)
    return raised(y.backward), x.grad, T.is_grad_enabled()


def a_hook_on_each_output(T):
    x = T.arange(4.0).view(2, 2).requires_grad_()
    a, b = x.unbind()
    seen = []
    a.register_hook(lambda grad: seen.append(("a", grad.tolist())))
    b.register_hook(lambda grad: grad * 100)
    (a + b * 2).sum().backward()
    return seen, x.grad


def a_hook_of_an_unused_output_sees_none(T):
    x = T.arange(4.0).view(2, 2).requires_grad_()
    a, b = x.unbind()
    seen = []
    b.register_hook(lambda grad: seen.append(grad))
    a.sum().backward()
    return seen


def retain_grad_and_hooks(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * 1
    y.retain_grad()
    y.register_hook(lambda grad: grad * 10)
    y.backward()
    z = x * 1
    z.register_hook(lambda grad: grad * 10)
    z.retain_grad()
    z.backward()
    return y.grad, z.grad, x.grad


def a_hook_before_and_after_in_place(T):
    x = T.tensor(2.0, requires_grad=True)
    y, seen = x * 1, []
    y.register_hook(lambda grad: seen.append(("before", grad.item())))
    y.mul_(5)
    y.register_hook(lambda grad: seen.append(("after", grad.item())))
    (y * 3).backward()
    return seen, x.grad


def a_hook_with_create_graph_sees_a_graph(T):
    x = T.tensor(2.0, requires_grad=True)
    y, seen = x**3, []
    x.register_hook(lambda grad: seen.append(grad.grad_fn is not None))
    (g,) = T.autograd.grad(y, x, create_graph=True)
    return seen, g


def a_hook_is_differentiated_through(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda grad: grad * x)
    (g,) = T.autograd.grad(y, x, create_graph=True)
    return g, T.autograd.grad(g, x)


def post_accumulate_hooks_see_the_leaf_and_its_grad(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append((leaf is x, leaf.grad.tolist())))
    (x * 3).sum().backward()
    (x * 3).sum().backward()
    return seen


def post_accumulate_hooks_may_step_and_forget(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)

    def step(leaf):
        with T.no_grad():
            leaf.sub_(leaf.grad)
        leaf.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * 3).sum().backward()
    handle.remove()
    return x, x.grad


def post_accumulate_hooks_need_a_leaf(T):
    y = T.ones(2, requires_grad=True) * 2
    return raised(y.register_post_accumulate_grad_hook, print)


def post_accumulate_hooks_return_nothing(T):
    x = T.tensor(2.0, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda leaf: 3)
    return raised((x * 2).backward)


def post_accumulate_hooks_run_after_the_others(T):
    x, order = T.tensor(2.0, requires_grad=True), []
    x.register_post_accumulate_grad_hook(lambda leaf: order.append("accumulated"))
    x.register_hook(lambda grad: order.append("gradient"))
    node = (x * 2).grad_fn.next_functions[0][0]
    node.register_prehook(lambda grads: order.append("before the node"))
    node.register_hook(lambda inputs, outputs: order.append("after the node"))
    (x * 2).backward()
    return order


def a_node_hook_sees_gradients_in_and_out(T):
    x, w = T.tensor(2.0, requires_grad=True), T.tensor(3.0)
    y, seen = x * w, []
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs, outputs)))
    (y * 5).backward()
    return seen, type(seen[0][0]).__name__


def a_node_hook_replaces_what_flows_on(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * 3
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 10, None))
    y.backward()
    return x.grad


def a_node_hook_that_returns_too_few_raises(T):
    x, w = T.tensor(2.0, requires_grad=True), T.tensor(3.0, requires_grad=True)
    y = x * w
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0],))
    return raised(y.backward)


def a_prehook_replaces_what_comes_in(T):
    x = T.tensor(2.0, requires_grad=True)
    y, seen = x * 3, []
    y.grad_fn.register_prehook(lambda grads: seen.append(grads) or (grads[0] * 10,))
    y.backward()
    return seen, x.grad


def the_order_of_all_hooks_of_a_node(T):
    x = T.tensor(2.0, requires_grad=True)
    y, order = x * 1, []
    y.grad_fn.register_hook(lambda inputs, outputs: order.append("post 1"))
    y.grad_fn.register_prehook(lambda grads: order.append("pre 1"))
    y.register_hook(lambda grad: order.append("tensor 1"))
    y.grad_fn.register_prehook(lambda grads: order.append("pre 2"))
    y.register_hook(lambda grad: order.append("tensor 2"))
    y.grad_fn.register_hook(lambda inputs, outputs: order.append("post 2"))
    y.backward()
    return order


def node_hooks_may_be_removed(T):
    y, order = T.tensor(2.0, requires_grad=True) * 1, []
    one = y.grad_fn.register_hook(lambda *_: order.append("post"))
    other = y.grad_fn.register_prehook(lambda *_: order.append("pre"))
    one.remove()
    other.remove()
    y.backward()
    return order


def hooks_run_under_the_mode_of_backward(T):
    x, modes = T.tensor(2.0, requires_grad=True), []
    x.register_hook(lambda grad: modes.append(T.is_grad_enabled()))
    (x * x).backward()
    with T.no_grad():
        T.autograd.grad((T.enable_grad()(lambda: x * x))(), x, create_graph=True)
    return modes


def a_hook_may_call_backward(T):
    x, w = T.tensor(2.0, requires_grad=True), T.tensor(3.0, requires_grad=True)

    def inner(grad):
        with T.enable_grad():
            (w * w).backward()

    y = x * 5
    y.register_hook(inner)
    y.backward()
    return x.grad, w.grad


def hooks_of_leaves_that_backward_does_not_ask_for(T):
    x, w, seen = T.tensor(2.0, requires_grad=True), T.tensor(3.0, requires_grad=True), []
    x.register_hook(lambda grad: seen.append("x"))
    w.register_hook(lambda grad: seen.append("w"))
    (x * w).backward(inputs=[w])
    return seen


def a_gradient_changed_in_place_by_a_hook(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3

    def halve(grad):
        grad.mul_(0.5)

    y.register_hook(halve)
    (y * T.tensor([2.0, 4.0])).sum().backward()
    return x.grad


def a_prehook_must_return_a_tuple(T):
    y = T.ones(2, requires_grad=True) * 1
    y.grad_fn.register_prehook(lambda grads: grads[0])
    z = T.ones(2, requires_grad=True) * 1
    z.grad_fn.register_hook(lambda inputs, outputs: inputs[0])
    return raised(y.sum().backward), raised(z.sum().backward)


def a_hook_may_not_make_a_gradient_of_none(T):
    a, b = T.ones(2, 2, requires_grad=True).unbind()
    b.register_hook(lambda grad: T.ones(2))
    return raised(a.sum().backward)


def a_hook_without_a_name(T):
    class Hook:
        def __call__(self, grad):
            return T.ones(3)

    y = T.ones(2, requires_grad=True) * 1
    y.register_hook(Hook())
    return raised(y.sum().backward)


def hooks_of_a_leaf_whose_graph_is_gone_stay(T):
    x, seen = T.tensor(2.0, requires_grad=True), []
    x.register_hook(lambda grad: seen.append(grad.item()))
    for factor in (1, 2):
        (x * factor).backward()
    return seen


def captured_gradients_of_nodes_that_do_not_run_come_after_their_hooks(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * 3
    y.register_hook(lambda grad: grad + 1)
    return T.autograd.grad(y * 1, y)


def _products(T):
    a, b = T.ones(2, 3, requires_grad=True), T.ones(2, 3, requires_grad=True)
    return a, b, a * b, a * b


def one_hook_of_several_tensors_waits_for_those_that_the_pass_needs(T):
    tensors, seen = _products(T), []
    a, _, c, d = tensors
    hook = T.autograd.graph.register_multi_grad_hook
    handle = hook(tensors, lambda grads: seen.append([grad is not None for grad in grads]))
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    (c + d).sum().backward(retain_graph=True)
    handle.remove()
    (c + d).sum().backward()
    return seen


def one_hook_of_several_tensors_may_take_the_first_gradient(T):
    tensors, seen = _products(T), []
    hook = T.autograd.graph.register_multi_grad_hook
    hook(tensors, lambda grad: seen.append(grad), mode="any")
    (tensors[2] + tensors[3] * 2).sum().backward(retain_graph=True)
    tensors[2].sum().backward()
    return seen


def one_hook_of_several_tensors_has_two_modes(T):
    T.autograd.graph.register_multi_grad_hook(_products(T), print, mode="some")


def one_hook_of_several_tensors_needs_tensors_that_require_grad(T):
    T.autograd.graph.register_multi_grad_hook((T.ones(2, requires_grad=True), T.ones(2)), print)
