"""The values that arrive in `.grad`: sums, whose memory, which strides."""

from .observe import raised, shares_memory


def gradients_accumulate(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    (x * 3).sum().backward()
    first = x.grad
    (x * x).sum().backward()
    return x.grad, first is x.grad, x.grad._version


def grad_may_be_set_to_none_between(T):
    x = T.ones(2, requires_grad=True)
    x.sum().backward()
    first = x.grad
    x.grad = None
    (x * 2).sum().backward()
    return first, x.grad


def grad_zeroed_in_place_keeps_its_memory(T):
    x = T.ones(2, requires_grad=True)
    x.sum().backward()
    kept = x.grad
    x.grad.zero_()
    (x * 2).sum().backward()
    return kept, shares_memory(kept, x.grad)


def the_gradient_given_is_not_taken_into_grad(T):
    x = T.ones(2, requires_grad=True)
    g = T.full((2,), 3.0)
    x.backward(g)
    return x.grad, x.grad is g, shares_memory(x.grad, g)


def the_gradient_given_is_not_changed(T):
    x = T.ones(2, requires_grad=True)
    g = T.full((2,), 3.0)
    y = x + 1
    y.backward(g, retain_graph=True)
    y.backward(g)
    return x.grad, g


def two_leaves_that_get_the_same_gradient_do_not_share_it(T):
    x, y = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    (x + y).sum().backward()
    before = shares_memory(x.grad, y.grad)
    x.grad.mul_(10)
    return before, x.grad, y.grad


def two_leaves_do_not_share_a_dense_gradient(T):
    x, y = T.ones(2, requires_grad=True), T.ones(2, requires_grad=True)
    ((x + y) * 2).sum().backward()
    return shares_memory(x.grad, y.grad), x.grad, y.grad


def a_gradient_that_is_expanded_is_written_out(T):
    x = T.ones(2, 3, requires_grad=True)
    x.sum().backward()
    return x.grad


def grad_has_the_strides_of_a_dense_leaf(T):
    x = T.arange(6.0).view(2, 3).t().requires_grad_()
    (x * T.arange(6.0).view(3, 2)).sum().backward()
    return x, x.grad


def grad_of_a_leaf_with_gaps_is_contiguous(T):
    x = T.arange(12.0).view(3, 4)[:, ::2].requires_grad_()
    (x * 2).sum().backward()
    return x, x.grad


def grad_of_a_channels_last_leaf(T):
    x = T.ones(1, 2, 2, 2).contiguous(memory_format=T.channels_last).requires_grad_()
    (x * T.arange(8.0).view(1, 2, 2, 2)).sum().backward()
    return x.grad


def grad_of_a_broadcast_leaf(T):
    x = T.ones(1, 3).expand(2, 3).requires_grad_()
    (x * 2).sum().backward()
    return x, x.grad


def with_create_graph_accumulation_makes_a_new_tensor(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward(create_graph=True)
    first = x.grad
    (x * x).sum().backward(create_graph=True)
    return first, x.grad, first is x.grad


def accumulation_into_a_grad_that_requires_grad(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    x.grad = T.ones(2, requires_grad=True)
    return raised((x * x).sum().backward), x.grad


def a_grad_that_was_read_is_changed_by_accumulation(T):
    x = T.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    read = x.grad
    clone = read.clone()
    (x * 2).sum().backward()
    return read, clone, read is x.grad


def a_leaf_used_many_times_gets_the_sum_of_all(T):
    x = T.tensor(2.0, requires_grad=True)
    (x * x * x + x + 3 * x).backward()
    return x.grad


def a_leaf_added_to_itself(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x + x
    y.sum().backward()
    return x.grad, y.grad_fn.next_functions[0][0] is y.grad_fn.next_functions[1][0]


def gradients_flow_to_leaves_made_in_different_dtypes(T):
    x, y = T.ones(2, requires_grad=True), T.ones(2, dtype=T.float64, requires_grad=True)
    z = x * y
    z.sum().backward()
    return z, x.grad, y.grad


def grad_of_a_scalar_leaf(T):
    x = T.tensor(3.0, requires_grad=True)
    (x * T.arange(3.0)).sum().backward()
    return x.grad


def grad_of_an_empty_leaf(T):
    x = T.empty(0, 3, requires_grad=True)
    y = x.sum()
    y.backward()
    return y, x.grad


def a_sum_over_nothing(T):
    x = T.ones(3, requires_grad=True)
    x[:0].sum().backward()
    return x.grad


def zero_gradients_are_not_none(T):
    x = T.ones(2, requires_grad=True)
    (x * 0).sum().backward()
    return x.grad


def a_floor_has_a_zero_gradient(T):
    x = T.tensor([1.5, 2.5], requires_grad=True)
    y = x.floor()
    y.sum().backward()
    return y, x.grad


def nan_and_inf_pass_through(T):
    x = T.tensor([0.0, 1.0], requires_grad=True)
    x.log().sum().backward()
    (x / 0).sum().backward()
    return x.grad


def integers_times_floats(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * T.tensor([3, 4])
    y.sum().backward()
    return y, x.grad


def python_numbers_times_floats(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = 3 * x - 1 / x + x**2
    y.sum().backward()
    return y, x.grad


def a_cast_casts_the_gradient_back(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x.double()
    y.backward(T.tensor([1.0, 2.0], dtype=T.float64))
    return y, x.grad


def broadcasting_sums_the_gradient(T):
    x, b, s = T.ones(2, 3, requires_grad=True), T.ones(3, requires_grad=True), T.tensor(2.0, requires_grad=True)
    y = (x * b + s) * T.arange(6.0).view(2, 3)
    y.sum().backward()
    return x.grad, b.grad, s.grad


def broadcasting_of_ones_keeps_them(T):
    x, y = T.ones(2, 1, requires_grad=True), T.ones(1, 3, requires_grad=True)
    (x * y * T.arange(6.0).view(2, 3)).sum().backward()
    return x.grad, y.grad


def expand_sums_the_gradient(T):
    x = T.ones(3, 1, requires_grad=True)
    y = x.expand(2, 3, 4)
    (y * T.arange(24.0).view(2, 3, 4)).sum().backward()
    return y, x.grad


def broadcasting_of_an_empty_dimension(T):
    x = T.ones(1, requires_grad=True)
    y = x * T.ones(0)
    y.sum().backward()
    return y, x.grad


def ties_share_the_gradient_of_a_full_maximum(T):
    x = T.tensor([2.0, 1.0, 2.0], requires_grad=True)
    x.max().backward()
    y = T.tensor([2.0, 1.0, 2.0], requires_grad=True)
    y.amax(0).backward()
    return x.grad.tolist(), y.grad.tolist()


def ties_of_a_maximum_by_dimension_go_to_its_index(T):
    x = T.tensor([[2.0, 1.0, 2.0]], requires_grad=True)
    values, indices = x.max(1)
    values.sum().backward()
    return values, indices, x.grad.tolist()


def ties_of_two_tensors_halve(T):
    x, y = T.tensor([1.0, 2.0], requires_grad=True), T.tensor([1.0, 3.0], requires_grad=True)
    T.maximum(x, y).sum().backward()
    return x.grad.tolist(), y.grad.tolist()


def gradients_at_kinks(T):
    x = T.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    return [T.autograd.grad(f(x).sum(), x)[0].tolist() for f in (T.relu, T.abs, T.sign, lambda x: x.clamp(0, 1))]


def an_index_used_twice_accumulates(T):
    x = T.ones(3, requires_grad=True)
    (x[T.tensor([0, 0, 2])] * T.tensor([1.0, 2.0, 4.0])).sum().backward()
    return x.grad


def where_sends_each_element_to_one_side(T):
    x, y = T.ones(3, requires_grad=True), T.zeros(3, requires_grad=True)
    T.where(T.tensor([True, False, True]), x, y).sum().backward()
    return x.grad, y.grad


def cat_and_stack_split_the_gradient(T):
    x, y = T.ones(2, requires_grad=True), T.ones(1, requires_grad=True)
    z = T.cat([x, y, x])
    (z * T.arange(5.0)).sum().backward()
    return z, x.grad, y.grad
