"""no_grad, enable_grad, set_grad_enabled, inference_mode."""

import threading

from .observe import raised, shares_memory


def no_grad_records_nothing(T):
    x = T.ones(2, requires_grad=True)
    with T.no_grad():
        y = x * 2
        inside = T.is_grad_enabled()
    return y, inside, T.is_grad_enabled(), x


def no_grad_as_a_decorator(T):
    @T.no_grad()
    def double(x):
        """Twice."""
        return x * 2

    @T.no_grad
    def triple(x):
        return x * 3

    x = T.ones(2, requires_grad=True)
    return double(x), triple(x), double.__name__, double.__doc__


def enable_grad_inside_no_grad(T):
    x = T.ones(2, requires_grad=True)
    with T.no_grad():
        with T.enable_grad():
            y = x * 2
        z = x * 2
    return y, z


def modes_nest(T):
    states = [T.is_grad_enabled()]
    with T.no_grad():
        states.append(T.is_grad_enabled())
        with T.enable_grad():
            states.append(T.is_grad_enabled())
            with T.no_grad():
                states.append(T.is_grad_enabled())
            states.append(T.is_grad_enabled())
        states.append(T.is_grad_enabled())
    return [*states, T.is_grad_enabled()]


def modes_end_after_an_error(T):
    try:
        with T.no_grad():
            raise ValueError("inside")
    except ValueError:
        return T.is_grad_enabled()


def set_grad_enabled_as_a_function(T):
    T.set_grad_enabled(False)
    off = T.is_grad_enabled(), T.ones(2, requires_grad=True) * 2
    T.set_grad_enabled(True)
    return off, T.is_grad_enabled()


def set_grad_enabled_as_a_context(T):
    states = []
    with T.set_grad_enabled(False):
        states.append(T.is_grad_enabled())
        with T.set_grad_enabled(True):
            states.append(T.is_grad_enabled())
        states.append(T.is_grad_enabled())
    return [*states, T.is_grad_enabled()]


def set_grad_enabled_as_a_decorator(T):
    @T.set_grad_enabled(False)
    def state():
        return T.is_grad_enabled()

    return state(), T.is_grad_enabled()


def a_generator_keeps_its_own_mode(T):
    @T.no_grad()
    def states():
        for _ in range(2):
            yield T.is_grad_enabled()

    seen = []
    for state in states():
        seen.append((state, T.is_grad_enabled()))
    return seen


def a_generator_receives_and_returns(T):
    @T.no_grad()
    def echo():
        got = yield T.is_grad_enabled()
        try:
            yield got
        except ValueError as error:
            yield str(error), T.is_grad_enabled()
        return "done"

    generator = echo()
    seen = [next(generator), generator.send(3), generator.throw(ValueError("thrown"))]
    try:
        next(generator)
    except StopIteration as stop:
        seen.append(stop.value)
    return seen


def a_decorated_method(T):
    class Model:
        @T.no_grad()
        def predict(self, x):
            return x * 2

    return Model().predict(T.ones(2, requires_grad=True))


def a_mode_object_may_be_used_again(T):
    mode, states = T.no_grad(), []
    for _ in range(2):
        with mode:
            states.append(T.is_grad_enabled())
        states.append(T.is_grad_enabled())
    return states


def modes_belong_to_a_thread(T):
    seen = []

    def look():
        seen.append(T.is_grad_enabled())
        T.set_grad_enabled(False)

    with T.no_grad():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        seen.append(T.is_grad_enabled())
    return [*seen, T.is_grad_enabled()]


def requires_grad_under_no_grad(T):
    with T.no_grad():
        x = T.ones(2, requires_grad=True)
        y = T.ones(2).requires_grad_()
    (x * y).sum().backward()
    return x, y, x.grad


def a_constant_made_under_no_grad_cuts_the_graph(T):
    x = T.tensor(2.0, requires_grad=True)
    with T.no_grad():
        c = x * x
    (x * c).backward()
    return x.grad


def backward_under_no_grad(T):
    x = T.tensor(2.0, requires_grad=True)
    y = x * x
    with T.no_grad():
        y.backward()
    return x.grad


def in_place_under_no_grad_keeps_the_history(T):
    x = T.ones(2, requires_grad=True)
    y = x * 2
    with T.no_grad():
        y.add_(1)
    before = y.grad_fn.name()
    y.sum().backward()
    return before, y, x.grad


def inference_mode_makes_inference_tensors(T):
    x = T.ones(2, requires_grad=True)
    with T.inference_mode():
        a, b, v = T.ones(2), x * 2, x.view(2)
        inside = T.is_inference_mode_enabled(), T.is_grad_enabled()
    return (
        inside,
        a.is_inference(),
        b,
        b.is_inference(),
        v.is_inference(),
        v.requires_grad,
        T.is_inference_mode_enabled(),
    )


def is_inference_of_ordinary_tensors(T):
    x = T.ones(2)
    with T.inference_mode():
        view = x.view(2)
    return x.is_inference(), (x * 2).is_inference(), T.is_inference(x), view.is_inference(), view._is_view()


def inference_tensors_have_no_version(T):
    with T.inference_mode():
        x = T.ones(2)
    return raised(lambda: x._version)


def inference_tensors_may_be_changed_inside(T):
    with T.inference_mode():
        x = T.ones(2)
        x.add_(1)
        x[0] = 5
        x.view(2).mul_(2)
    return x, x._is_view()


def inference_tensors_may_not_be_changed_outside(T):
    with T.inference_mode():
        x = T.ones(2)
    with T.no_grad():
        under_no_grad = raised(x.add_, 1)
    return raised(x.add_, 1), raised(x.__setitem__, 0, 1.0), under_no_grad, x


def inference_tensors_may_not_be_saved(T):
    with T.inference_mode():
        c = T.ones(2)
    x = T.ones(2, requires_grad=True)
    return raised(lambda: x * c), raised(lambda: (x * 2) * c)


def inference_tensors_may_be_used_where_nothing_is_saved(T):
    with T.inference_mode():
        c = T.ones(2)
    x = T.ones(2, requires_grad=True)
    y = x + c
    y.sum().backward()
    return y, y.is_inference(), x.grad, (c * 2).is_inference(), c.clone().is_inference()


def inference_tensors_may_not_require_grad_outside(T):
    with T.inference_mode():
        c = T.ones(2)
        inside = raised(T.ones(2).requires_grad_)
    return inside, raised(c.requires_grad_), raised(setattr, c, "requires_grad", True)


def views_of_inference_tensors_outside(T):
    with T.inference_mode():
        tensors = T.ones(2, 3), T.ones(2, 3, requires_grad=True)
    seen = []
    for x in tensors:
        for view in (x.view(-1), x[0], x.t()[1:], x.split(1)[0], x.unbind()[1], x.expand(2, 2, 3), x.detach()):
            seen += [view, view.is_inference(), view._base is None]
        seen += [raised(x.view(-1).add_, 1), raised(x.unbind()[0].add_, 1), raised(x[0].requires_grad_), x.t() + 1]
        with T.inference_mode():
            seen.append(x.view(-1).add_(1))
    return seen, tensors


def a_view_of_an_ordinary_tensor_made_in_inference_mode(T):
    x, y = T.ones(2), T.ones(2, requires_grad=True)
    with T.inference_mode():
        views = x.view(1, 2), y.view(1, 2)
    return [(view, view.is_inference(), view.view(-1)) for view in views]


def a_clone_of_an_inference_tensor_is_ordinary(T):
    with T.inference_mode():
        c = T.ones(2)
    d = c.clone()
    d.add_(1)
    return d.is_inference(), d.requires_grad_(), c.view(2).is_inference()


def inference_mode_may_be_switched_off_inside(T):
    with T.inference_mode():
        with T.inference_mode(False):
            x = T.ones(2, requires_grad=True)
            y = x * 2
            state = T.is_inference_mode_enabled(), T.is_grad_enabled()
        inner = T.is_inference_mode_enabled()
    return state, inner, y, y.is_inference()


def inference_mode_as_a_decorator(T):
    @T.inference_mode()
    def double(x):
        return x * 2

    @T.inference_mode
    def triple(x):
        return x * 3

    @T.inference_mode(mode=False)
    def same(x):
        return x * 1

    x = T.ones(2, requires_grad=True)
    return double(x), double(x).is_inference(), triple(x).is_inference(), same(x)


def inference_mode_ends_after_an_error(T):
    try:
        with T.inference_mode():
            raise ValueError
    except ValueError:
        return T.is_inference_mode_enabled(), T.is_grad_enabled()


def an_ordinary_tensor_changed_in_inference_mode_counts_versions(T):
    x = T.ones(2, requires_grad=True)
    y = x.exp()
    with T.inference_mode():
        y.add_(1)
    return y._version, raised(y.sum().backward)


def a_leaf_changed_in_inference_mode(T):
    x = T.ones(2, requires_grad=True)
    with T.inference_mode():
        x.add_(1)
        y = x.view(2)
        y.add_(1)
    return x, y.is_inference(), raised(y.add_, 1)


def backward_in_inference_mode(T):
    x = T.ones(2, requires_grad=True)
    y = (x * x).sum()
    with T.inference_mode():
        return raised((x * 2).sum().backward), raised(y.backward)


def detach_in_inference_mode(T):
    x = T.ones(2, requires_grad=True)
    with T.inference_mode():
        d = x.detach()
    return d.is_inference(), d.requires_grad, shares_memory(d, x)


def enable_grad_in_inference_mode(T):
    x = T.ones(2, requires_grad=True)
    with T.inference_mode(), T.enable_grad():
        y = x * 2
        state = T.is_grad_enabled()
    return state, y.requires_grad, y.is_inference()


def modes_are_classes(T):
    return [
        type(mode).__name__ for mode in (T.set_grad_enabled(True), T.no_grad(), T.enable_grad(), T.inference_mode())
    ]
