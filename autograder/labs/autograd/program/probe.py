"""A short program on the whole engine: the parts of lab 4 in combination, and the numbers that PyTorch gives.

Each check names the function here that asks nothing of what another of its aspects asks.
"""

from autograder.examine.error_data import type_name

X, W, ROW = [1.0, 2.0, 3.0, 4.0], [5.0, 7.0], [0.5, 1.5]


def run(engine):
    """Run all parts of the program and return the result of each: numbers, or ("raised", type name)."""
    return _of(engine, *PARTS)


def without_second_gradients(engine):
    """Run the program as `run` does, without the parts that compute a gradient of a gradient."""
    return _of(engine, *(part for part in PARTS if part not in RECORDED))


def without_absent_gradients(engine):
    """Run the program as `run` does, without the part in which a ready node receives no gradient."""
    return _of(engine, *(part for part in PARTS if part not in ABSENT))


def without_views(engine):
    """Run the program as `run` does, without the parts that write to a view."""
    return _of(engine, *(part for part in PARTS if part not in VIEWS))


def without_versions(engine):
    """Run the program as `run` does, without the parts that write in place or save an operator's result."""
    return _of(engine, *(part for part in PARTS if part not in VERSIONS))


def without_own_operators(engine):
    """Run the program as `run` does, without the part whose own Function saves a tensor."""
    return _of(engine, *(part for part in PARTS if part not in OWN))


def without_decorators(engine):
    """Run the program as `run` does, without the part that decorates a function."""
    return _of(engine, *(part for part in PARTS if part not in DECORATED))


def without_lasting_hooks(engine):
    """Run the program as `run` does, without the part that removes a hook between two backward passes."""
    return _of(engine, *(part for part in PARTS if part not in LASTING))


def _of(engine, *parts):
    state = engine.autograd.state.state
    before = state.grad_mode
    found = {}
    for part in parts:
        state.grad_mode = True
        try:
            found[part.__name__.strip("_").replace("_", " ")] = part(engine)
        except (NotImplementedError, NameError):
            raise
        except Exception as error:
            found[part.__name__.strip("_").replace("_", " ")] = ("raised", type_name(error))
        finally:
            state.grad_mode = before
    return found


def _leaf(engine, values):
    return engine.tensor(values, dtype=engine.float64, requires_grad=True)


def _refused(call, *arguments, **named):
    """Return the type of the error that a call is refused with."""
    try:
        call(*arguments, **named)
    except RuntimeError as error:
        return type_name(error)
    return "not refused"


def _broadcasting(engine):
    table, row = _leaf(engine, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), _leaf(engine, ROW)
    column = _leaf(engine, [[2.0], [4.0], [8.0]])
    ((table * row) * column + row / column).sum().backward()
    return [leaf.grad.tolist() for leaf in (table, row, column)]


def _elementary(engine):
    x, w = _leaf(engine, [1.0, 4.0]), _leaf(engine, [2.0, 8.0])
    (x.sqrt() * w + w.log() / x).sum().backward(engine.tensor(1.0, dtype=engine.float64))
    return [[round(number, 9) for number in leaf.grad.tolist()] for leaf in (x, w)]


def _batches(engine):
    one, two = _leaf(engine, [[[1.0, 2.0]], [[3.0, 4.0]]]), _leaf(engine, [[[5.0], [6.0]], [[7.0], [8.0]]])
    product = engine.bmm(one, two)
    (product * product).sum().backward()
    return [leaf.grad.tolist() for leaf in (one, two)]


def _passes_add_up(engine):
    x = _leaf(engine, X)
    y = x * x
    y.backward(engine.tensor([1.0, 1.0, 1.0, 1.0], dtype=engine.float64), retain_graph=True)
    first = x.grad
    (y * 2.0).sum().backward()
    return first.tolist(), first is x.grad


def _freed_graph(engine):
    x = _leaf(engine, X)
    y = (x * x).sum()
    y.backward()
    return _refused(y.backward), x.grad.tolist()


def _diamond_of_a_write(engine):
    x = _leaf(engine, X)
    y = x * 2.0
    y.mul_(y.detach().clone())
    (y * x + y).sum().backward()
    return x.grad.tolist()


def _leaves_stay(engine):
    x = _leaf(engine, X)
    refused = _refused(x.mul_, 2.0)
    with engine.no_grad():
        x.mul_(2.0)
    return refused, x.tolist()


def _write_to_a_view(engine):
    x, w = _leaf(engine, X), _leaf(engine, W)
    y = x * 1.0
    part = y[1:3]
    part.mul_(w)
    (y * y).sum().backward()
    return y.tolist(), x.grad.tolist(), w.grad.tolist()


def _written_later(engine):
    x, w = _leaf(engine, X), _leaf(engine, X)
    y = x * w
    with engine.no_grad():
        w.add_(1.0)
    return _refused(y.sum().backward)


def _saved_results(engine):
    x = _leaf(engine, [0.0, 0.0])
    y = x.exp() * 3.0
    (y * y).sum().backward()
    return x.grad.tolist()


def _second_gradient(engine):
    x, w = _leaf(engine, X), _leaf(engine, [3.0])
    (first,) = engine.autograd.grad((x * x * x * w).sum(), x, create_graph=True)
    (first * first).sum().backward()
    return first.tolist(), x.grad.tolist(), w.grad.tolist()


def _second_gradient_of_a_write(engine):
    x = _leaf(engine, [1.0, 2.0, 3.0])
    y = x * x * 1.0
    y[1:].mul_(2.0)
    (first,) = engine.autograd.grad((y * y).sum(), x, create_graph=True)
    (second,) = engine.autograd.grad(first.sum(), x)
    return first.tolist(), second.tolist()


def _modes(engine):
    x = _leaf(engine, X)
    with engine.set_grad_enabled(False):
        inside = (x * 2.0).requires_grad
        with engine.set_grad_enabled(True):
            nested = (x * 2.0).requires_grad
    return inside, nested, (x * 2.0).requires_grad


def _decorated(engine):
    x = _leaf(engine, X)
    double = engine.set_grad_enabled(False)(lambda tensor: tensor * 2.0)
    return double(x).requires_grad, (x * 2.0).requires_grad


def _hooks(engine):
    x = _leaf(engine, X)
    y = x * 2.0
    seen = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.register_hook(lambda grad: grad * 10.0)
    x.register_hook(lambda grad: seen.append(grad.tolist()))
    (y * 3.0).sum().backward()
    return seen, x.grad.tolist()


def _hooks_that_last(engine):
    x = _leaf(engine, X)
    handle = x.register_hook(lambda grad: grad * 10.0)
    (x * 2.0).sum().backward()
    handle.remove()
    (x * 2.0).sum().backward()
    return x.grad.tolist()


def _an_operator_of_its_own(engine):
    class Triple(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 3.0

        @staticmethod
        def backward(ctx, grad):
            return grad * 3.0

    x = _leaf(engine, X)
    (Triple.apply(x * 2.0) * 2.0).sum().backward()
    return x.grad.tolist()


def _an_operator_that_saves(engine):
    class Square(engine.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return ctx.saved_tensors[0] * 2.0 * grad

    x = _leaf(engine, [0.25, 0.5])
    first = Square.apply(x)
    (grad,) = engine.autograd.grad(first.sum(), x, create_graph=True)
    return grad.tolist(), engine.autograd.grad(grad.sum(), x)[0].tolist()


def _gradcheck(engine):
    x = _leaf(engine, [0.25, 0.5])
    return engine.autograd.gradcheck(lambda x: x * x, (x,))


def _deep(engine):
    x = _leaf(engine, [1.0])
    y = x
    for _ in range(10):
        y = y + y
    y.backward()
    return x.grad.tolist()


RECORDED = (_second_gradient, _second_gradient_of_a_write, _an_operator_that_saves)
ABSENT = (_gradcheck,)
VIEWS = (_write_to_a_view, _second_gradient_of_a_write)
VERSIONS = (_written_later, _saved_results, _diamond_of_a_write, *VIEWS)
OWN = (_an_operator_that_saves,)
DECORATED = (_decorated,)
LASTING = (_hooks_that_last,)
PARTS = (
    _broadcasting, _elementary, _batches, _passes_add_up, _freed_graph, _diamond_of_a_write, _leaves_stay,
    _write_to_a_view, _written_later, _saved_results, _second_gradient, _second_gradient_of_a_write, _modes, _decorated,
    _hooks, _hooks_that_last, _an_operator_of_its_own, _an_operator_that_saves, _gradcheck, _deep,
)  # fmt: skip
