"""In-place operators on leaves and non-leaves, version counters, saved tensors that were changed."""

from .observe import graph, raised


def on_a_leaf_that_requires_grad_raises(T):
    x = T.ones(2, requires_grad=True)
    return raised(x.add_, 1), raised(x.zero_), raised(x.copy_, T.ones(2)), raised(x.fill_, 3.0), x


def by_index_on_a_leaf_raises(T):
    x = T.ones(2, requires_grad=True)
    return raised(x.__setitem__, 0, 3.0), raised(x.__setitem__, slice(None), T.ones(2)), x


def augmented_assignment_on_a_leaf_raises(T):
    x = T.ones(2, requires_grad=True)
    try:
        x += 1
    except RuntimeError as error:
        return error, x


def on_a_leaf_under_no_grad(T):
    x = T.ones(2, requires_grad=True)
    with T.no_grad():
        x.add_(1)
        x[0] = 5.0
        x *= 2
    return x


def on_a_constant_with_a_tensor_that_requires_grad(T):
    c, x = T.zeros(2), T.ones(2, requires_grad=True)
    c.add_(x)
    c.sum().backward()
    return c, x.grad


def a_constant_filled_by_copy(T):
    c, x = T.zeros(2, dtype=T.float64), T.ones(2, requires_grad=True)
    c.copy_(x)
    node = graph(c.grad_fn)
    (c * T.tensor([1.0, 10.0])).sum().backward()
    return c, node, x.grad


def a_constant_of_integers_cannot_get_a_history(T):
    c, x = T.zeros(2, dtype=T.int64), T.ones(2, requires_grad=True)
    c.copy_(x)
    return c


def on_a_non_leaf_the_node_changes(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    first = y.grad_fn
    y.add_(1)
    before = graph(y.grad_fn)
    y.sum().backward()
    return before, first is y.grad_fn, y, x.grad


def names_of_the_nodes_of_in_place_operators(T):
    def after(change):
        y = T.ones(2, requires_grad=True) * 1
        change(y)
        return graph(y.grad_fn)

    changes = [
        lambda y: y.mul_(2), lambda y: y.exp_(), lambda y: y.relu_(), lambda y: y.zero_(), lambda y: y.fill_(2.0),
        lambda y: y.copy_(T.ones(2)), lambda y: y.clamp_(0, 1), lambda y: y.masked_fill_(y > 0, 2.0),
        lambda y: y.neg_(), lambda y: y.pow_(2), lambda y: y.div_(2), lambda y: y.sub_(y.detach()),
        lambda y: y.index_add_(0, T.tensor([0]), T.ones(1)), lambda y: y.fill_(T.tensor(2.0)), lambda y: y.sigmoid_(),
    ]  # fmt: skip
    return [after(change) for change in changes]


def gradients_through_in_place_operators(T):
    x = T.tensor([1.0, -2.0], requires_grad=True)
    y = x * 2
    y.mul_(3).add_(x).relu_()
    y.sum().backward()
    return y, x.grad


def zero_cuts_the_gradient(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.zero_()
    y.sum().backward()
    return y, x.grad


def fill_cuts_the_gradient(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    value = T.tensor(5.0, requires_grad=True)
    y = x * 2
    y.fill_(value)
    y.sum().backward()
    return y, x.grad, value.grad


def copy_takes_the_gradient_of_the_source(T):
    x, s = T.ones(2, requires_grad=True), T.tensor([3.0], requires_grad=True)
    y = x * 2
    y.copy_(s)
    y.sum().backward()
    return y, x.grad, s.grad


def a_saved_input_that_was_changed_raises(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y * y
    y.add_(1)
    return raised(z.sum().backward)


def a_saved_output_that_was_changed_raises(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.add_(1)
    return raised(y.sum().backward)


def a_saved_leaf_that_was_changed_raises(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    with T.no_grad():
        x.add_(1)
    return raised(y.sum().backward)


def a_saved_constant_that_was_changed_raises(T):
    x, c = T.ones(2, 3, requires_grad=True), T.ones(2, 3)
    y = x * c
    c[0] = 5
    return raised(y.sum().backward)


def a_saved_view_whose_base_was_changed_raises(T):
    x, c = T.ones(2, requires_grad=True), T.ones(3, 2)
    y = x * c[1]
    c.add_(1)
    c.add_(1)
    return raised(y.sum().backward)


def a_saved_double_that_was_changed_raises(T):
    x = T.ones(1, 2, dtype=T.float64, requires_grad=True)
    y = x.sigmoid()
    y.mul_(2)
    return raised(y.sum().backward)


def a_saved_output_of_several_that_was_changed_raises(T):
    x = T.ones(2, 2, requires_grad=True)
    values, indices = x.max(1)
    indices.add_(1)
    return raised(values.sum().backward)


def what_is_not_saved_may_be_changed(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y + y
    y.add_(1)
    z.sum().backward()
    return x.grad


def a_change_before_it_is_saved_is_fine(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.add_(1)
    (y * y).sum().backward()
    return x.grad


def an_output_saved_by_an_in_place_operator(T):
    x = T.tensor([1.0, -2.0], requires_grad=True)
    y = x * 2
    y.sigmoid_()
    y.sum().backward()
    return y, x.grad


def an_input_saved_by_an_in_place_operator_is_copied_or_raises(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.mul_(y)
    return raised(y.sum().backward)


def a_change_through_detach_is_noticed(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.detach().zero_()
    return raised(y.sum().backward)


def versions_count_every_change(T):
    x = T.zeros(3)
    versions = [x._version]
    for change in (
        lambda: x.add_(1), lambda: x.mul_(2).add_(1), lambda: x.__setitem__(0, 1.0), lambda: x.view(3).add_(1),
        lambda: x.detach().add_(1), lambda: x.data.add_(1), lambda: x.zero_(), lambda: x[0].fill_(1),
        lambda: x.copy_(T.ones(3)), lambda: T.add(x, 1, out=x), lambda: x.requires_grad_(), lambda: x.detach_(),
        lambda: x + 1, lambda: x.clone().add_(1), lambda: x.__setitem__(T.tensor([0]), 1.0),
        lambda: x.__setitem__(x > 0, 1.0), lambda: x.resize_(3), lambda: x.normal_(), lambda: x.t_(),
    ):  # fmt: skip
        change()
        versions.append(x._version)
    return versions


def versions_are_shared_by_views(T):
    x = T.zeros(2, 2)
    a, b = x[0], x.t()
    a.add_(1)
    x.add_(1)
    return x._version, a._version, b._version, x.clone()._version


def versions_are_counted_under_no_grad(T):
    x = T.zeros(2)
    with T.no_grad():
        x.add_(1)
    return x._version


def versions_cannot_be_set(T):
    x = T.zeros(2)
    return raised(setattr, x, "_version", 3).split(":")[0]


def the_output_of_an_in_place_operator_is_the_tensor(T):
    y = T.ones(2, requires_grad=True) * 2
    return y.add_(1) is y, y.relu_() is y, y.copy_(T.ones(2)) is y


def augmented_assignment_changes_in_place(T):
    x = T.ones(2, requires_grad=True)
    y = x * 2
    same = y
    y += 1
    y *= x
    y -= 1
    y /= 2
    y.sum().backward()
    return same is y, y, x.grad


def assignment_by_index(T):
    x, v = T.arange(4.0).requires_grad_(), T.tensor(7.0, requires_grad=True)
    y = x * 1
    y[1] = v
    y[2:] = 0
    node = graph(y.grad_fn)
    (y * T.arange(4.0)).sum().backward()
    return node, y, x.grad, v.grad


def assignment_by_tensor_and_by_mask(T):
    x, v = T.arange(4.0).requires_grad_(), T.tensor([7.0, 8.0], requires_grad=True)
    y = x * 1
    y[T.tensor([0, 2])] = v
    y[y > 7.5] = 1.0
    node = graph(y.grad_fn)
    y.sum().backward()
    return node, y, x.grad, v.grad


def assignment_by_index_behind_a_slice(T):
    x, v = T.arange(6.0).view(2, 3).requires_grad_(), T.tensor([[3.0, 4.0]], requires_grad=True)
    y = x * 1
    y[:, [0, 2]] = 0.0
    y[..., T.tensor([0, 1])] *= 2
    y.add_(y[:, [2]])
    y[:, T.tensor([1, 2])] = v
    z = T.ops.aten._unsafe_index_put(y, [None, T.tensor([0])], T.ones(2, 1))
    first = T.autograd.grad((y * y + z).sum(), (x, v), create_graph=True)
    return first, T.autograd.grad(sum(grad.sum() for grad in first), (x, v), allow_unused=True)


def assignment_into_a_constant(T):
    c, v = T.zeros(2, 2), T.tensor([7.0, 8.0], requires_grad=True)
    c[0] = v
    node = graph(c.grad_fn)
    (c * T.arange(4.0).view(2, 2)).sum().backward()
    return node, c, v.grad


def out_does_not_record(T):
    x, out = T.ones(2, requires_grad=True), T.empty(2)
    return (
        raised(T.add, x, 1, out=out),
        raised(T.add, T.ones(2), 1, out=T.empty(2, requires_grad=True)),
        raised(T.mul, x, x, out=x),
    )


def out_is_fine_under_no_grad(T):
    x, out = T.ones(2, requires_grad=True), T.empty(2)
    with T.no_grad():
        T.add(x, 1, out=out)
    return out


def a_result_that_cannot_be_cast_back_raises(T):
    y = T.ones(2, requires_grad=True) * 2
    i = T.ones(2, dtype=T.int64)
    return raised(i.add_, y), raised(y.add_, T.ones(3)), y


def in_place_between_two_uses(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * 3
    a = y + 1
    y.mul_(2)
    (a + y).backward()
    return x.grad


def retain_grad_after_in_place(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    y.sum().backward()
    return y.retains_grad, y.grad, x.grad


def messages_name_the_last_operator_that_wrote(T):
    x = T.ones(4, requires_grad=True)
    messages = []
    for change in (
        lambda y: y[:2].mul_(3), lambda y: y.copy_(T.ones(4)), lambda y: y.relu_(), lambda y: y.detach().add_(1),
        lambda y: y.fill_(1.0), lambda y: y.__setitem__(T.tensor([0]), 1.0),
    ):  # fmt: skip
        y = x * 1
        z = y * y
        change(y)
        messages.append(raised(z.sum().backward))
    return messages


def writes_to_integers_and_bools_are_counted(T):
    i, b = T.zeros(2, dtype=T.int64), T.zeros(2, dtype=T.bool)
    i.add_(1)
    b.logical_not_()
    b[0] = False
    return i, b


def a_write_that_fails_is_not_counted(T):
    x = T.zeros(2)
    return raised(x.add_, T.ones(3)), raised(x.__setitem__, 5, 1.0), x._version


def an_update_as_optimizers_do(T):
    w = T.tensor([1.0, 2.0], requires_grad=True)
    buffer = T.zeros(2)
    for _ in range(2):
        w.grad = None
        (w * w).sum().backward()
        with T.no_grad():
            buffer.mul_(0.9).add_(w.grad)
            w.add_(buffer, alpha=-0.1)
    return w, buffer
