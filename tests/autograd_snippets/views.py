"""Views: their base, in-place operators on them, histories that change under them."""

from .observe import graph, raised, shares_memory


def a_view_knows_its_base(T):
    x = T.arange(6.0)
    v = x.view(2, 3)
    w = v[0]
    return v, v._is_view(), v._base is x, w._base is x, x._base is None, x.clone()._is_view(), (x + 1)._is_view()


def operators_that_make_views(T):
    x = T.arange(4.0).view(2, 2).clone()
    made = [
        x.t(), x[0], x[None], x.view(4), x.reshape(4), x.flatten(), x.expand(2, 2), x.diagonal(), x.narrow(0, 0, 1),
        x.detach(), x.contiguous(), x.to(T.float32), x.view_as(x), x.squeeze(), x.T, x.as_strided((2,), (1,)),
        *x.unbind(), *x.split(1), x.unfold(0, 1, 1), x.permute(1, 0),
        x.t().reshape(4), x.movedim(0, 1), x.chunk(2)[0], x[T.tensor([0])], x[...],
    ]  # fmt: skip
    return [(one._is_view(), one._base is x) for one in made]


def a_view_of_a_leaf_requires_grad(T):
    x = T.arange(4.0).requires_grad_()
    v = x.view(2, 2)
    return v, v._base is x, graph(v.grad_fn)


def in_place_on_a_view_of_a_leaf_raises(T):
    x = T.arange(4.0).requires_grad_()
    return raised(x.view(2, 2).add_, 1), raised(x[0].fill_, 1.0), raised(x.detach().view(4).requires_grad_().add_, 1), x


def in_place_on_a_view_rebases_it_and_its_base(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 2
    v = y[1:3]
    v.mul_(10)
    seen = graph(v.grad_fn), graph(y.grad_fn), v, y
    (y * T.arange(4.0)).sum().backward()
    return seen, x.grad


def in_place_on_the_base_regenerates_the_view(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 2
    v = y[1:3]
    first = v.grad_fn
    y.mul_(10)
    second = v.grad_fn
    v.sum().backward()
    return first.name(), second.name(), graph(second), x.grad


def a_regenerated_node_is_kept(T):
    y = T.arange(4.0).requires_grad_() * 2
    v = y.view(2, 2)
    y.mul_(10)
    first = v.grad_fn
    again = v.grad_fn
    y.mul_(10)
    return first is again, first is v.grad_fn


def in_place_on_a_view_of_a_view(T):
    x = T.arange(8.0).requires_grad_()
    y = x * 2
    v = y.view(2, 4)
    w = v[1]
    w.mul_(3)
    seen = graph(y.grad_fn), v.grad_fn.name(), w.grad_fn.name(), w._base is y
    (v * v).sum().backward()
    return seen, x.grad


def in_place_on_siblings(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 2
    a, b = y[:2], y[1:]
    a.mul_(2)
    b.mul_(x[:3])
    (y + 1).sum().backward()
    return y, a.grad_fn.name(), b.grad_fn.name(), x.grad


def in_place_on_a_view_of_a_constant(T):
    c, x = T.zeros(4), T.ones(2, requires_grad=True)
    v = c[1:3]
    v.add_(x)
    seen = graph(c.grad_fn), v.grad_fn.name(), c, v
    (c * T.arange(4.0)).sum().backward()
    return seen, x.grad


def a_sibling_of_a_changed_view_of_a_constant(T):
    c, x = T.zeros(4), T.ones(2, requires_grad=True)
    a, b = c[:2], c.view(2, 2)
    a.mul_(x)
    return b.requires_grad, b.grad_fn.name(), b.is_leaf


def copy_into_a_view(T):
    x, s = T.arange(4.0).requires_grad_(), T.ones(2, requires_grad=True)
    y = x * 2
    y[:2].copy_(s)
    seen = graph(y.grad_fn)
    (y * T.arange(4.0)).sum().backward()
    return seen, y, x.grad, s.grad


def copy_into_a_transposed_view(T):
    x, s = T.zeros(2, 3).requires_grad_(), T.ones(3, 2, requires_grad=True)
    y = x * 2
    y.t().copy_(s * 2)
    (y * T.arange(6.0).view(2, 3)).sum().backward()
    return y, x.grad, s.grad.tolist()


def in_place_on_a_transposed_view(T):
    x = T.arange(6.0).view(2, 3).requires_grad_()
    y = x * 1
    y.t().mul_(T.arange(6.0).view(3, 2))
    y.sum().backward()
    return y, x.grad


def in_place_on_a_diagonal(T):
    x = T.arange(4.0).view(2, 2).requires_grad_()
    y = x * 1
    y.diagonal().zero_()
    y.sum().backward()
    return y.grad_fn.name(), x.grad


def a_view_saved_before_its_base_changed_raises(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 1
    v = y[:2]
    z = v * v
    y[3] = 5
    return raised(z.sum().backward)


def a_view_of_a_changed_tensor(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 2
    y.add_(1)
    v = y.view(2, 2)
    return graph(v.grad_fn), v._base is y


def multiple_outputs_refuse_in_place(T):
    y = T.arange(4.0).view(2, 2).requires_grad_() * 1
    a, b = y.unbind()
    s = y.split(1)
    c = y.chunk(2)
    return raised(a.add_, 1), raised(s[0].mul_, 2), raised(c[1].zero_), raised(b[0].add_, 1)


def multiple_outputs_of_a_leaf_refuse_in_place(T):
    x = T.arange(4.0).view(2, 2).requires_grad_()
    return raised(x.unbind()[0].add_, 1), raised(x.split(1)[0].add_, 1)


def multiple_outputs_of_a_constant_may_be_changed(T):
    c = T.zeros(2, 2)
    a, _ = c.unbind()
    a.add_(1)
    return c, a._base is c


def multiple_outputs_of_a_constant_refuse_what_requires_grad(T):
    c, x = T.zeros(2, 2), T.ones(2, requires_grad=True)
    a, _ = c.unbind()
    return raised(a.add_, x)


def the_base_of_multiple_outputs_may_be_changed(T):
    y = T.arange(4.0).view(2, 2).requires_grad_() * 1
    a, _ = y.unbind()
    y.mul_(2)
    return raised(lambda: a.grad_fn.name()), y.grad_fn.name()


def multiple_outputs_under_no_grad(T):
    y = T.arange(4.0).view(2, 2).requires_grad_() * 1
    with T.no_grad():
        a, _ = y.unbind()
        a.add_(1)
    return a.requires_grad, raised(a.add_, 1), y


def views_made_under_no_grad_refuse_in_place(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 1
    with T.no_grad():
        v, w = y.view(2, 2), x.view(2, 2)
    return v.requires_grad, v._is_view(), raised(v.add_, 1), raised(w.add_, 1)


def views_made_under_no_grad_may_be_changed_there(T):
    x = T.arange(4.0).requires_grad_()
    with T.no_grad():
        v = x.view(2, 2)
        v.add_(1)
        x[0] = 9.0
    return v, x


def views_of_constants_made_under_no_grad(T):
    c, x = T.zeros(4), T.ones(2, requires_grad=True)
    with T.no_grad():
        v = c[:2]
    return v.add_(1), raised(v.mul_, x)


def a_view_made_under_no_grad_requires_grad_on_request(T):
    x = T.arange(4.0).requires_grad_()
    with T.no_grad():
        v = x.view(2, 2)
    v.requires_grad_()
    return v, raised(v.add_, 1)


def a_view_of_a_detached_tensor(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 1
    d = y.detach()
    v = d[:2]
    v.add_(1)
    return v, v._base is d, y._version, graph(y.grad_fn)


def a_view_that_requires_grad_of_a_constant(T):
    c = T.zeros(4)
    v = c[:2]
    v.requires_grad_()
    return v, v.is_leaf, raised(v.add_, 1), c.requires_grad, c.add_(1)


def gradients_of_views(T):
    x = T.arange(12.0).view(3, 4).requires_grad_()
    w = T.arange(6.0).view(2, 3)
    (x.t()[1:3] * w).sum().backward()
    return x.grad


def gradients_of_overlapping_views(T):
    x = T.arange(4.0).requires_grad_()
    (x.unfold(0, 2, 1) * T.tensor([1.0, 10.0])).sum().backward()
    (x.as_strided((2, 2), (1, 1)) * 100).sum().backward()
    return x.grad


def gradients_of_a_view_of_one_element(T):
    x = T.arange(4.0).view(2, 2).requires_grad_()
    x[1, 0].backward()
    x.diagonal()[1].backward()
    return x.grad


def reshape_that_copies(T):
    x = T.arange(6.0).view(2, 3).requires_grad_()
    y = x.t().reshape(6)
    (y * T.arange(6.0)).sum().backward()
    return y._is_view(), graph(y.grad_fn), x.grad


def a_hook_of_a_view_whose_base_changes(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 1
    v = y[:2]
    seen = []
    v.register_hook(lambda grad: seen.append(grad.tolist()))
    y.mul_(2)
    (v * 3).sum().backward()
    return seen, x.grad


def in_place_on_a_view_twice(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 1
    v = y[:2]
    v.mul_(2)
    v.add_(x[2:])
    seen = graph(y.grad_fn)
    y.sum().backward()
    return seen, y, x.grad


def requires_grad_of_a_base_after_a_view_was_made(T):
    c = T.zeros(4)
    v = c[:2]
    c.requires_grad_()
    return v.requires_grad, raised(v.add_, 1), v


def the_same_memory_through_all(T):
    x = T.arange(4.0).requires_grad_()
    y = x * 1
    v = y.view(2, 2)
    return shares_memory(v, y), shares_memory(v.detach(), y), v.detach()._is_view(), v.detach()._base is y


def strides_of_gradients_given_do_not_matter(T):
    x = T.ones(2, 3, requires_grad=True)
    (x * 2).backward(T.arange(6.0).view(3, 2).t())
    y = T.ones(2, 3, requires_grad=True)
    (y * 2).backward(T.ones(1).expand(2, 3))
    return x.grad, y.grad


def squeeze_and_unsqueeze_in_place(T):
    y = T.ones(2, 1, requires_grad=True) * 2
    y.squeeze_(1)
    first = graph(y.grad_fn)
    y.unsqueeze_(0)
    y.t_()
    return first, graph(y.grad_fn), y


def transpose_in_place_of_a_leaf(T):
    x = T.ones(2, 3, requires_grad=True)
    return raised(x.t_), raised(x.unsqueeze_, 0), x


def a_chain_of_changes_through_many_views(T):
    x = T.arange(6.0).requires_grad_()
    y = x * 1
    m = y.view(2, 3)
    m[0].mul_(2)
    m.t()[1].add_(x[:2])
    y[4:].mul_(m[0, 1:])
    return raised((y * y).sum().backward), y, x.grad


def a_view_of_a_view_made_under_no_grad(T):
    x = T.arange(4.0).requires_grad_()
    with T.no_grad():
        v = x.view(2, 2)
    w = v[0]
    return w.requires_grad, w.grad_fn, raised(w.add_, 1), raised(v.t().mul_, 2)


def a_freed_write_to_a_view(T):
    y = T.arange(4.0).requires_grad_() * 1
    y[:2].mul_(2)
    y.sum().backward()
    return raised(y.sum().backward)


def a_write_to_a_view_that_broadcasts(T):
    x, s = T.zeros(2, 3, requires_grad=True), T.tensor(2.0, requires_grad=True)
    y = x * 1
    y[0].add_(s)
    y[:, 1].mul_(s)
    y.sum().backward()
    return y, x.grad.tolist(), s.grad.tolist()


def a_view_that_outlives_its_base(T):
    x = T.arange(4.0).requires_grad_()
    v = (x * 2)[1:]
    v.mul_(3)
    base = v._base
    v.sum().backward()
    return base.grad_fn.name(), x.grad.tolist()


def metadata_may_be_changed_of_a_detached_tensor(T):
    x = T.ones(2, 3, requires_grad=True)
    d = x.detach()
    return raised(d.t_), d.shape == (3, 2), raised(d.resize_, (1,)), x


def a_leaf_that_became_an_inner_tensor(T):
    c, x = T.zeros(4), T.ones(4, requires_grad=True)
    leaf = c[:2].requires_grad_()
    y = leaf * 2
    c.add_(x)
    return raised(y.sum().backward), leaf.is_leaf, leaf.grad_fn
