"""Probes of what is recorded while operators run: where gradients go, and the autograd kernel of mul."""

import contextlib

import numpy as np

from autograder.examine.error_data import type_name


def edges(engine, program):
    """Return the edges that `gradient_edge` returns for the tensors that a program makes.

    Args:
        program: steps; each of the kinds of `_made` appends a tensor to a list, and ("edge", i) asks for the edge of
            tensor i of the list, ("edge", i, "no_grad") in no_grad.
    Returns:
        for each "edge", by the number of the step: None, or (name of the node, number of the node in order of
        appearance, input number); of an accumulator also which tensor of the list it belongs to.
    """
    tensors, nodes, seen = [], [], {}
    for step, (kind, *arguments) in enumerate(program):
        if kind == "edge":
            mode = contextlib.nullcontext() if len(arguments) == 1 else engine.no_grad()
            with mode:
                found = engine.autograd.variable.gradient_edge(tensors[arguments[0]])
            seen[f"{step}: edge of {arguments[0]}"] = _edge(engine, found, nodes, tensors)
        else:
            tensors.append(_made(engine, tensors, kind, *arguments))
    return seen


def _made(engine, tensors, kind, *arguments):
    if kind == "leaf":
        return engine.tensor([0.5, 1.5, 2.5], requires_grad=True)
    if kind == "plain":
        return engine.tensor([0.5, 1.5, 2.5])
    if kind == "int":
        return engine.tensor([1, 2, 3])
    if kind == "let go":  # a leaf that required grad once, and has an AutogradMeta
        return engine.tensor([0.5, 1.5, 2.5], requires_grad=True).requires_grad_(False)
    x = tensors[arguments[0]]
    if kind in ("exp", "neg", "detach", "clone"):
        return getattr(x, kind)()
    if kind == "add":
        return x + tensors[arguments[1]]
    if kind == "unbind":
        return x.unbind()[arguments[1]]
    if kind == "split":
        return x.split(1)[arguments[1]]
    if kind == "view":
        return x.view(-1)
    if kind == "add_":
        return x.add_(1)
    if kind == "requires_grad_":
        return x.requires_grad_()
    if kind == "mul_":
        return x.mul_(tensors[arguments[1]])
    if kind == "equal":
        return x == x
    with engine.no_grad():
        return {"exp unrecorded": x.exp, "view unrecorded": lambda: x.view(-1)}[kind]()


def _edge(engine, edge, nodes, tensors):
    if edge is None:
        return None
    if type(edge) is not tuple or len(edge) != 2 or not isinstance(edge[0], engine.autograd.node.Node):
        return ("not an edge", type(edge).__name__)
    node, input_nr = edge
    if not any(node is one for one in nodes):
        nodes.append(node)
    number = next(place for place, one in enumerate(nodes) if one is node)
    whose = ()
    if node.is_accumulator:
        whose = tuple(place for place, tensor in enumerate(tensors) if tensor is node.variable)
    return (node.name(), number, input_nr, *whose)


def multiply(engine, grad_mode, factors, below):
    """Call the autograd kernel of mul on two factors; return its result, how it is recorded, and its calls of `below`.

    Args:
        grad_mode: whether operators record.
        factors: (kind, values) of `self` and of `other`; kinds "plain", "leaf", "made" by an operator from a leaf,
            "let go": a leaf that required grad once, "view" of a leaf, "unrecorded view" of a leaf, which requires grad
            and has no edge; ("again", None): `other` is `self`.
        below: "product" returns the product; "fails" raises ValueError, "interrupted" an error outside of Exception;
            "exp" runs an operator on a leaf before it returns the product, "writes" writes to both factors.
    Returns:
        how `below` was called, what came back, how it is recorded, and what the call left behind.
    """
    local, state = engine.dispatch.local.local, engine.autograd.state.state
    pair = _factors(engine, factors)
    leaf = engine.tensor([1.0], requires_grad=True)
    calls, products, inside, guarded = [], [], [], []

    def kernel(self, other):
        calls.append((_which(self, pair), _which(other, pair)))
        if below in ("fails", "interrupted"):
            raise ValueError("no product") if below == "fails" else Interrupt
        if below == "exp":
            inside.append(leaf.exp().grad_fn is not None)
            guarded.append(local.state.excluded == before_local.below.excluded)
        product = engine.tensor((np.array(pair[0].tolist()) * np.array(pair[1].tolist())).tolist())
        if below == "writes":
            inner, local.state = local.state, before_local  # so that the write is counted
            with engine.no_grad():
                pair[0].neg_(), pair[1].neg_()
            local.state = inner
        products.append(product)
        return product

    before_local, before_mode = local.state, state.grad_mode
    state.grad_mode = grad_mode
    found = {}
    try:
        result = engine.autograd.variable_type_manual.mul(*pair, kernel)
        found = _result(engine, result, products, pair)
    except (NotImplementedError, NameError):
        raise
    except Interrupt:
        found = {"returned": "the error of below goes on"}
    except Exception as error:
        found = {"returned": ("raised", type_name(error))}
    finally:
        left = (local.state is before_local, state.grad_mode is grad_mode)
        local.state, state.grad_mode = before_local, before_mode
    seen = {"exp inside is recorded": inside, "below runs in the guard": guarded, "state as before": left}
    return {"calls of below": calls, **found, **seen}


class Interrupt(BaseException):
    """An error that does not derive from Exception, like KeyboardInterrupt."""


def _factors(engine, factors):
    made = []
    for kind, values in factors:
        if kind == "again":
            made.append(made[0])
            continue
        x = engine.tensor(values, requires_grad=kind != "plain")
        if kind == "let go":
            x.requires_grad_(False)
        if kind == "unrecorded view":
            with engine.no_grad():
                made.append(x.view(x.shape))
            continue
        made.append(x.neg() if kind == "made" else x.view(x.shape) if kind == "view" else x)
    return made


def _which(tensor, pair):
    """Return "self", "other" or, for one tensor in both places, "both"; for any other tensor its type's name."""
    if tensor is pair[0]:
        return "both" if pair[0] is pair[1] else "self"
    return "other" if tensor is pair[1] else type(tensor).__name__


def _result(engine, result, products, pair):
    if not isinstance(result, engine.Tensor):
        return {"returned": type(result).__name__}
    found = {"returned": "what below returned" if any(result is product for product in products) else "another tensor"}
    found["values"] = result.tolist()
    node = result.grad_fn
    if node is None:
        return {**found, "recorded": "no, and requires grad" if result.requires_grad else "no"}
    nodes: list = []
    found["recorded"] = (node.name(), result.output_nr)
    found["edges"] = [_edge(engine, edge, nodes, pair) for edge in node.next_edges]
    for field in ("self", "other"):
        found[f"saved_{field}"] = _saved(engine, getattr(node, f"saved_{field}", None), pair)
    return found


def _saved(engine, saved, pair):
    if saved is None:
        return "nothing"
    if type(saved) is not engine.autograd.saved_variable.SavedVariable:
        return f"not a SavedVariable: {type(saved).__name__}"
    kept = "kept as an output" if saved.output_nr is not None else f"at version {saved.version}"
    return (_which(saved.data, pair), kept)
