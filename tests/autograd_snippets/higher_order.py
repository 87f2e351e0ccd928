"""Gradients of gradients."""

from .observe import graph, raised


def the_second_derivative(T):
    x = T.tensor(2.0, requires_grad=True)
    (g,) = T.autograd.grad(x**3, x, create_graph=True)
    (h,) = T.autograd.grad(g, x)
    return g, h


def the_third_derivative(T):
    x = T.tensor(0.5, requires_grad=True)
    y, derivatives = x.sin() * x.exp(), []
    for _ in range(3):
        (y,) = T.autograd.grad(y, x, create_graph=True)
        derivatives.append(y)
    return derivatives


def many_derivatives_of_a_power(T):
    x = T.tensor(1.0, dtype=T.float64, requires_grad=True)
    y, values = x**6, []
    for _ in range(7):
        (y,) = T.autograd.grad(y, x, create_graph=True)
        values.append(y.item())
    return values


def a_hessian_by_rows(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    (g,) = T.autograd.grad((x[0] ** 2 * x[1]).sum(), x, create_graph=True)
    return [T.autograd.grad(entry, x, retain_graph=True)[0] for entry in g.unbind()]


def a_hessian_times_a_vector(T):
    x, v = T.tensor([1.0, 2.0, 3.0], requires_grad=True), T.tensor([1.0, 0.0, -1.0])
    (g,) = T.autograd.grad((x**3).sum() + x.prod(), x, create_graph=True)
    return T.autograd.grad((g * v).sum(), x)


def forward_mode_by_two_backwards(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    v = T.ones(2, requires_grad=True)
    (g,) = T.autograd.grad(x * x, x, v, create_graph=True)
    return T.autograd.grad(g, v, T.tensor([1.0, 10.0]))


def backward_of_a_gradient_penalty(T):
    x, w = T.tensor([1.0, 2.0]).double(), T.tensor([0.5, -1.0]).double()
    x.requires_grad_()
    w.requires_grad_()
    y = (x * w).tanh().sum()
    (g,) = T.autograd.grad(y, x, create_graph=True)
    (y + (g * g).sum()).backward()
    return w.grad, x.grad


def backward_twice_through_grad(T):
    x = T.tensor(3.0, requires_grad=True)
    (x**2).backward(create_graph=True)
    g = x.grad
    x.grad = None
    (g * g).backward()
    return x.grad


def the_gradient_given_may_be_differentiated(T):
    x, g = T.tensor([1.0, 2.0], requires_grad=True), T.tensor([3.0, 4.0], requires_grad=True)
    (r,) = T.autograd.grad(x.exp(), x, g, create_graph=True)
    return r, T.autograd.grad(r.sum(), [x, g])


def the_gradient_is_a_constant_without_create_graph(T):
    x = T.tensor(2.0, requires_grad=True)
    (g,) = T.autograd.grad(x**3, x)
    return g, raised(T.autograd.grad, g, x)


def the_graph_of_a_gradient(T):
    x = T.tensor(2.0, requires_grad=True)
    (g,) = T.autograd.grad(x.exp(), x, create_graph=True)
    return graph(g.grad_fn)


def second_derivatives_of_a_matmul(T):
    x, w = T.arange(4.0).view(2, 2).requires_grad_(), T.ones(2, 2, requires_grad=True)
    gx, gw = T.autograd.grad((x @ w).pow(2).sum(), [x, w], create_graph=True)
    return gx, T.autograd.grad((gx * gw).sum(), [x, w])


def second_derivatives_of_a_broadcast(T):
    x, b = T.ones(2, 3, requires_grad=True), T.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (gb,) = T.autograd.grad((x * b).pow(3).sum(), b, create_graph=True)
    return gb, [g.tolist() for g in T.autograd.grad(gb.sum(), [x, b])]


def second_derivatives_through_views(T):
    x = T.arange(6.0).requires_grad_()
    (g,) = T.autograd.grad((x.view(2, 3).t()[1] ** 3).sum(), x, create_graph=True)
    return g, T.autograd.grad(g.sum(), x)


def second_derivatives_through_indexing(T):
    x = T.arange(4.0).requires_grad_()
    (g,) = T.autograd.grad((x[T.tensor([1, 1, 3])] ** 3).sum(), x, create_graph=True)
    return T.autograd.grad(g.sum(), x)


def second_derivatives_of_a_maximum_are_zero(T):
    x = T.tensor([1.0, 3.0, 2.0], requires_grad=True)
    (g,) = T.autograd.grad(x.max(0).values * x[0], x, create_graph=True)
    return g, T.autograd.grad(g.sum(), x)


def second_derivatives_through_in_place(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y.mul_(x)
    (g,) = T.autograd.grad(y.sum(), x, create_graph=True)
    return g, T.autograd.grad(g.sum(), x)


def second_derivatives_of_a_softmax(T):
    x = T.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (g,) = T.autograd.grad(x.softmax(0)[0], x, create_graph=True)
    return g, T.autograd.grad(g[1], x)


def a_gradient_may_be_a_loss_for_another_leaf(T):
    x, w = T.tensor(2.0, requires_grad=True), T.tensor(3.0, requires_grad=True)
    (g,) = T.autograd.grad(x * x * w, x, create_graph=True)
    g.backward()
    return x.grad, w.grad


def an_inner_step_of_learning(T):
    w, rate = T.tensor(1.0, requires_grad=True), T.tensor(0.1, requires_grad=True)
    (g,) = T.autograd.grad((w * 2 - 1) ** 2, w, create_graph=True)
    inner = w - rate * g
    ((inner * 2 - 1) ** 2).backward()
    return w.grad, rate.grad
