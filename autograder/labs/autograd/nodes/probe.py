"""Probe of node_source: the class that the text defines, at work on numbers instead of tensors."""


def built(engine, entry, observed, saved=(), grads=(), needs=()):
    """Return what the class of an entry's nodes is and does.

    Args:
        entry: text in the form of derivatives.yaml, with one entry.
        observed: "class": its name and fields, "gradients": what `apply` returns, and
            where no gradient comes in, which saved tensors it unpacks all the same; "freed": what `release_variables`
            lets go of.
        saved: pairs (name, value) that the node has saved. A float is a saved tensor, a list of floats a list of saved
            tensors, an int a plain value, None a tensor that was not saved.
        grads, needs: of `apply`.
    """
    registration = engine.autograd.registration
    (info,) = engine.autograd.derivatives.parse(entry).values()
    source = engine.autograd.gen_autograd_functions.node_source(info)
    if not isinstance(source, str):
        return type(source).__name__
    scope = dict(registration.IN_SCOPE)
    exec(compile(source, "<node>", "exec"), scope)
    cls = scope.get(info.node)
    base = engine.autograd.node.Node
    if not (isinstance(cls, type) and issubclass(cls, base)):
        return "no subclass of Node with the entry's name"
    if observed == "class":
        return _described(cls, base)
    node = cls()
    for name, value in saved:
        setattr(node, f"saved_{name}", _kept(value))
    if observed == "gradients":
        Saved.unpacked.clear()
        returned = list(node.apply(list(grads), tuple(needs)))
        is_nothing = all(grad is None for grad in grads)
        return {"returned": returned, "unpacked": len(Saved.unpacked)} if is_nothing else returned
    node.release_variables()
    return {
        "defines release_variables": cls.release_variables is not base.release_variables,
        **{name: _left(registration, getattr(node, f"saved_{name}")) for name, _ in saved},
    }


def _described(cls, base):
    slots = vars(cls).get("__slots__", "missing")
    return {
        "name": cls.name(),
        "slots": sorted([slots] if isinstance(slots, str) else slots),
        "saved_fields": cls.saved_fields if isinstance(cls.saved_fields, tuple) else type(cls.saved_fields).__name__,
    }


class Saved:
    """A number in the place of a SavedVariable, which notes that it is unpacked."""

    unpacked: list = []

    def __init__(self, value):
        self.value = value

    def unpack(self, node):
        self.unpacked.append(self.value)
        return self.value


def _kept(value):
    if isinstance(value, list):
        return tuple(Saved(one) for one in value)
    return Saved(value) if isinstance(value, float) else value


def _left(registration, value):
    if value is registration.FREED_VARIABLE:
        return "freed"
    return value if value is None or isinstance(value, int) else "kept"
