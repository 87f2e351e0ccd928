"""torch.func: vmap, grad, vjp, jvp, jacrev, jacfwd, hessian. Mirrors torch/_functorch/{vmap,eager_transforms,apis}.py."""

import functools
from typing import Any

from ..aten.at import at
from ..autograd import python_engine, variable
from ..autograd.state import state as autograd
from ..tensor_impl import Tensor
from .grad_wrapper import GradInterpreter, GradWrapper
from .pytree import tree_flatten as flatten
from .pytree import tree_map
from .pytree import tree_unflatten as unflatten
from .vmap import vmap


def _create_differentiable(x: Any) -> Any:
    if isinstance(x, Tensor):
        aliased = at.view_as(x, x) if False else x
        return aliased.requires_grad_()
    raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")


def _wrap(x: Any, layer: GradInterpreter) -> Any:
    return GradWrapper(x, layer) if isinstance(x, Tensor) else x


def _unwrap(x: Any, layer: GradInterpreter) -> Any:
    return x._value if type(x) is GradWrapper and x._level == layer.level else x


def _autograd_grad(outputs: Any, inputs: Any, grads: Any = None, retain: bool = False, create: bool = True) -> Any:
    pairs = [(o, g) for o, g in zip(outputs, grads or [None] * len(outputs)) if variable.requires_grad(o)]
    if not pairs:
        return tuple(at.zeros_like(x) for x in inputs)
    found = python_engine.grad(
        [o for o, _ in pairs], inputs, [g for _, g in pairs], retain_graph=retain, create_graph=create, allow_unused=True
    )
    return tuple(at.zeros_like(x) if g is None else g for g, x in zip(found, inputs))


def grad_and_value(func: Any, argnums: Any = 0, has_aux: bool = False) -> Any:
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with GradInterpreter() as layer:
            before, autograd.grad_mode = autograd.grad_mode, True
            try:
                wrapped = tree_map(lambda x: _wrap(x, layer), args)
                chosen = wrapped[argnums] if isinstance(argnums, int) else tuple(wrapped[i] for i in argnums)
                tree_map(lambda x: x.requires_grad_(), chosen)
                out = func(*wrapped, **kwargs)
                if has_aux:
                    if not (isinstance(out, tuple) and len(out) == 2):
                        raise RuntimeError("grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True")
                    out, aux = out
                if not isinstance(out, Tensor):
                    raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(out)}")
                if out._sizes:
                    raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a scalar tensor, got tensor with "
                                       f"{len(out._sizes)} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
                flat, spec = flatten(chosen)
                grads = unflatten(list(_autograd_grad([out], flat, create=True)), spec)
                undo = lambda x: _unwrap(x, layer)
                grads, out = tree_map(undo, grads), tree_map(undo, out)
                if has_aux:
                    aux = tree_map(undo, aux)
            finally:
                autograd.grad_mode = before
        return (grads, (out, aux)) if has_aux else (grads, out)

    return wrapper


def grad(func: Any, argnums: Any = 0, has_aux: bool = False) -> Any:
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        grads, out = both(*args, **kwargs)
        return (grads, out[1]) if has_aux else grads

    return wrapper


def vjp(func: Any, *primals: Any) -> Any:
    with GradInterpreter() as layer:
        before, autograd.grad_mode = autograd.grad_mode, True
        try:
            wrapped = tree_map(lambda x: _wrap(x, layer), primals)
            tree_map(lambda x: x.requires_grad_(), wrapped)
            outs = func(*wrapped)
            flat_p, p_spec = flatten(wrapped)
            flat_o, o_spec = flatten(outs)
            result = tree_map(lambda x: _unwrap(x, layer), outs)
        finally:
            autograd.grad_mode = before

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        create = autograd.grad_mode if create_graph is None else create_graph
        grads = _autograd_grad(flat_o, flat_p, flatten(cotangents)[0], retain_graph, create)
        grads = unflatten(list(grads), p_spec)
        return grads

    return result, vjp_fn


def jvp(func: Any, primals: Any, tangents: Any) -> Any:
    """By two backward passes: the vjp is linear in its cotangent, and its own vjp is the jvp."""
    out, vjp_fn = vjp(func, *primals)
    flat, spec = flatten(out)
    zeros = unflatten([at.zeros_like(x) for x in flat], spec)
    _, twice = vjp(lambda c: vjp_fn(c), zeros)
    return out, twice(tuple(tangents))[0]


def jacrev(func: Any, argnums: int = 0) -> Any:
    def wrapper(*args: Any) -> Any:
        out, vjp_fn = vjp(lambda x: func(*args[:argnums], x, *args[argnums + 1 :]), args[argnums])
        n = out.numel()
        basis = at.view(at.eye(n, out._dtype), (n, *out._sizes))
        rows = vmap(vjp_fn)(basis)[0]
        return at.view(at.contiguous(rows), (*out._sizes, *args[argnums]._sizes))

    return wrapper


def jacfwd(func: Any, argnums: int = 0) -> Any:
    def wrapper(*args: Any) -> Any:
        x = args[argnums]
        n = x.numel()
        basis = at.view(at.eye(n, x._dtype), (n, *x._sizes))
        f = lambda y: func(*args[:argnums], y, *args[argnums + 1 :])
        columns = vmap(lambda t: jvp(f, (x,), (t,))[1], out_dims=-1)(basis)
        return at.reshape(columns, (*columns._sizes[:-1], *x._sizes))

    return wrapper


def hessian(func: Any, argnums: int = 0) -> Any:
    return jacfwd(jacrev(func, argnums), argnums)
