"""backward(): arguments, errors, graphs kept and freed."""

from .observe import raised


def a_scalar_needs_no_gradient(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    return (x * x).sum().backward(), x.grad


def one_element_of_any_shape_needs_no_gradient(T):
    x = T.tensor([[3.0]], requires_grad=True)
    (x * x).backward()
    return x.grad


def several_elements_need_a_gradient(T):
    y = T.ones(2, requires_grad=True) * 2
    return raised(y.backward), raised(T.autograd.backward, y), raised(T.autograd.grad, y, y)


def no_elements_need_a_gradient(T):
    y = T.ones(0, requires_grad=True) * 2
    return raised(y.backward)


def a_gradient_is_multiplied_in(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    (x * x).backward(T.tensor([1.0, 10.0]))
    return x.grad


def a_gradient_by_keyword(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    (x * x).backward(gradient=T.tensor([1.0, 10.0]), retain_graph=False, create_graph=False, inputs=None)
    return x.grad


def a_gradient_of_another_shape_raises(T):
    y = T.ones(2, requires_grad=True) * 2
    return raised(y.backward, T.ones(3)), raised(y.backward, T.ones(1)), raised(y.backward, T.ones(2, 1))


def a_gradient_that_is_no_tensor_raises(T):
    y = T.ones(2, requires_grad=True) * 2
    return raised(y.backward, 1.0), raised(T.autograd.backward, y, 1.0)


def a_gradient_of_another_dtype_is_cast(T):
    x = T.ones(2, requires_grad=True)
    (x * 2).backward(T.ones(2, dtype=T.float64))
    (x * 2).backward(T.ones(2, dtype=T.int64))
    return x.grad


def a_constant_cannot_go_backward(T):
    return raised(T.ones(2).sum().backward), raised(T.tensor(1.0).backward)


def a_leaf_may_go_backward(T):
    x = T.tensor(2.0, requires_grad=True)
    x.backward()
    x.backward(T.tensor(5.0))
    return x.grad


def twice_raises(T):
    x = T.ones(2, requires_grad=True)
    y = x.exp().sum()
    y.backward()
    return raised(y.backward), x.grad


def twice_is_fine_where_nothing_was_saved(T):
    x = T.ones(2, requires_grad=True)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    return x.grad


def twice_with_retain_graph(T):
    x = T.ones(2, requires_grad=True)
    y = x.exp().sum()
    y.backward(retain_graph=True)
    y.backward()
    return raised(y.backward), x.grad


def a_shared_part_that_was_freed_raises(T):
    x = T.ones(2, requires_grad=True)
    y = x.exp()
    a, b = y.sum(), (y * 2).sum()
    a.backward()
    return raised(b.backward), x.grad


def create_graph_keeps_the_graph(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * x * x
    y.backward(create_graph=True)
    first = x.grad
    x.grad = None
    y.backward()
    return first, x.grad


def create_graph_warns_of_a_cycle(T):
    x = T.tensor(2.0, requires_grad=True)
    (x * x).backward(create_graph=True)
    return x.grad.grad_fn is None


def inputs_limit_who_gets_a_gradient(T):
    x, w = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    (x * w).sum().backward(inputs=[x])
    (x * w).sum().backward(inputs=w)
    return x.grad, w.grad


def inputs_may_be_non_leaves(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    (y * y).sum().backward(inputs=[y])
    return x.grad, y.grad, y.retains_grad


def inputs_may_not_be_empty(T):
    y = T.ones(2, requires_grad=True).sum()
    return raised(y.backward, inputs=[]), raised(y.backward, inputs=())


def inputs_must_require_grad(T):
    x = T.ones(2, requires_grad=True)
    return raised(x.sum().backward, inputs=[T.ones(2)])


def inputs_that_were_not_used_get_nothing(T):
    x, w = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    (x * 2).sum().backward(inputs=[w])
    return x.grad, w.grad


def inputs_given_twice(T):
    x = T.ones(2, requires_grad=True)
    (x * 2).sum().backward(inputs=[x, x])
    return x.grad


def several_roots(T):
    x, w = T.tensor(2.0, requires_grad=True), T.tensor(3.0, requires_grad=True)
    y, z = x * w, x + w
    T.autograd.backward([y, z])
    return x.grad, w.grad


def several_roots_with_gradients(T):
    x = T.ones(2, requires_grad=True)
    y, z = x * 2, (x * 3).sum()
    T.autograd.backward([y, z], [T.tensor([1.0, 10.0]), None])
    return x.grad


def as_many_gradients_as_roots(T):
    x = T.ones(2, requires_grad=True)
    return raised(T.autograd.backward, [x.sum(), x.sum()], [T.tensor(1.0)])


def the_same_root_twice(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * x
    T.autograd.backward([y, y])
    return x.grad


def a_root_and_what_it_was_made_of(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * x
    T.autograd.backward([y, y * 3])
    return x.grad


def one_root_that_is_a_constant_raises(T):
    x = T.tensor(2.0, requires_grad=True)
    return raised(T.autograd.backward, [x * 2, T.tensor(1.0)]), x.grad


def no_roots(T):
    return raised(T.autograd.backward, [])


def a_root_of_integers(T):
    return raised(T.ones(1, dtype=T.int64).backward)


def graphs_of_a_loop_are_independent(T):
    w = T.tensor(1.0, requires_grad=True)
    for step in range(3):
        loss = (w * step - 1) ** 2
        loss.backward()
        with T.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


def a_state_that_is_carried_over_needs_detach(T):
    w = T.tensor(2.0, requires_grad=True)
    state = T.tensor(1.0)
    errors = []
    for _ in range(2):
        state = state * w
        errors.append(raised(state.backward))
    state = state.detach() * w
    state.backward()
    return errors, w.grad


def parts_not_on_the_way_to_a_leaf_are_not_visited(T):
    x, c = T.ones(2, requires_grad=True), T.ones(2)
    y = (c * 2).exp() * x
    y.sum().backward()
    return y.grad_fn.next_functions, x.grad, c.grad


def non_finite_gradients_may_be_given(T):
    x = T.ones(2, requires_grad=True)
    (x * 2).backward(T.tensor([float("nan"), float("inf")]))
    return x.grad


def a_gradient_that_requires_grad_is_a_constant_without_create_graph(T):
    x, g = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    (x * x).backward(g)
    return x.grad, g.grad


def gradients_do_not_record_by_default(T):
    x = T.ones(2, requires_grad=True)
    modes = []
    y = x * 2
    y.register_hook(lambda grad: modes.append((T.is_grad_enabled(), grad.requires_grad)))
    y.sum().backward(retain_graph=True)
    y.sum().backward(create_graph=True)
    return modes, T.is_grad_enabled()


def inputs_must_be_tensors(T):
    y = T.ones(2, requires_grad=True).sum()
    return raised(y.backward, inputs=[3]), raised(T.autograd.grad, y, [3])


def the_old_name_of_gradients(T):
    x = T.ones(2, requires_grad=True)
    T.autograd.backward(x * 2, grad_variables=T.ones(2))
    return x.grad


def each_leaf_of_a_wide_graph_gets_its_gradient(T):
    leaves = [T.tensor(float(number), requires_grad=True) for number in range(50)]
    sum(leaf * leaf for leaf in leaves).backward()
    return [leaf.grad.item() for leaf in leaves]


def unbalanced_branches_wait_for_each_other(T):
    x = T.tensor(1.0, requires_grad=True)
    y = x * 2
    long = y
    for _ in range(20):
        long = long * 1.5
    (long + y).backward()
    return x.grad.item()
