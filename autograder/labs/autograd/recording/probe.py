"""Probes of what is recorded while operators run: where gradients go, and the autograd kernel of mul."""

import numpy as np

from autograder.examine.raised import type_name


def edges(engine, program):
    """Return what `gradient_edge` gives for the tensors that a program makes.

    Args:
        program: steps; each of the kinds of `_made` appends a tensor to a list, and ("edge", i) asks for the edge of
            tensor i of the list.
    Returns:
        for each "edge": None, or (name of the node, number of the node in order of appearance, input number); of an
        accumulator also which tensor of the list it belongs to.
    """
    tensors, nodes, seen = [], [], []
    for kind, *arguments in program:
        if kind == "edge":
            seen.append(_edge(engine, engine.autograd.variable.gradient_edge(tensors[arguments[0]]), nodes, tensors))
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
    """Return what the autograd kernel of mul does with two factors.

    Args:
        grad_mode: whether operators record.
        factors: (kind, values) of `self` and of `other`; kinds "plain", "leaf", "made" by an operator from a leaf,
            "let go": a leaf that required grad once, "view" of a leaf; ("again", None): `other` is `self`.
        below: "product" returns the product; "fails" raises ValueError; "exp" runs an operator on a leaf before it
            returns the product.
    Returns:
        list of what happened below, what came back, how it is recorded, and what the call left behind.
    """
    local, state = engine.dispatch.local.local, engine.autograd.state.state
    pair = _factors(engine, factors)
    leaf = engine.tensor([1.0], requires_grad=True)
    happened, products = [], []

    def kernel(self, other):
        happened.append(("below", _which(self, pair), _which(other, pair)))
        if below == "fails":
            raise ValueError("no product")
        if below == "exp":
            happened.append(("recorded inside", leaf.exp().grad_fn is not None))
        product = engine.tensor((np.array(pair[0].tolist()) * np.array(pair[1].tolist())).tolist())
        products.append(product)
        return product

    before_local, before_mode = local.state, state.grad_mode
    state.grad_mode = grad_mode
    try:
        result = engine.autograd.variable_type_manual.mul(*pair, kernel)
        happened += _result(engine, result, products, pair)
    except (NotImplementedError, NameError):
        raise
    except Exception as error:
        happened.append(("raised", type_name(error)))
    finally:
        happened.append(("left", local.state is before_local, state.grad_mode is grad_mode))
        local.state, state.grad_mode = before_local, before_mode
    return happened


def _factors(engine, factors):
    made = []
    for kind, values in factors:
        if kind == "again":
            made.append(made[0])
            continue
        x = engine.tensor(values, requires_grad=kind != "plain")
        if kind == "let go":
            x.requires_grad_(False)
        made.append(x.neg() if kind == "made" else x.view(x.shape) if kind == "view" else x)
    return made


def _which(tensor, pair):
    """ "self", "other" or, of one tensor in both places, "both"; of any other tensor its type's name."""
    if tensor is pair[0]:
        return "both" if pair[0] is pair[1] else "self"
    return "other" if tensor is pair[1] else type(tensor).__name__


def _result(engine, result, products, pair):
    if not isinstance(result, engine.Tensor):
        return [("returned", type(result).__name__)]
    came_back = [("returned", any(result is product for product in products), result.tolist())]
    node = result.grad_fn
    if node is None:
        return [*came_back, ("not recorded", result.requires_grad)]
    nodes: list = []
    came_back.append(("node", node.name(), result.output_nr))
    came_back.append(("edges", [_edge(engine, edge, nodes, pair) for edge in node.next_edges]))
    for field in ("self", "other"):
        saved = getattr(node, f"saved_{field}", None)
        if saved is not None:
            is_saved = type(saved) is engine.autograd.saved_variable.SavedVariable
            what = _which(saved.data, pair) if is_saved else f"not saved as a SavedVariable: {type(saved).__name__}"
            came_back.append((f"saved {field}", what, saved.output_nr if is_saved else None))
    return came_back
