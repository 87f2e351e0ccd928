"""Short programs on the whole engine that use the lab's exercises together: a device, operators, a graph, gradients.

The device is "privateuseone": one fallback serves all operators, on memory of the CPU. Nothing is compiled by numba
that is not in the sandbox's cache. What only a later aspect of a check asks is left out (a star in a schema, a refusal,
a list of tensors, calls inside a recorded one): a wrong answer must lose the points of its own aspect alone.
"""

NAMESPACE, REGISTERED = "probe_program", "probe_registered"
SCHEMA = "affine(Tensor x, Tensor w, Scalar by=2) -> Tensor"


def run(engine):
    """Run the whole program and return its results by name: numbers, names and texts."""
    return _run(engine, True)


def on_the_cpu(engine):
    """Run the program without its part on the device, whose fallback has to convert lists."""
    return _run(engine, False)


def _run(engine, has_device):
    local, tracer = engine.dispatch.local, engine.dispatch.tracer
    before, graph_before = local.local.state, tracer.current.graph
    fallbacks, key = engine.dispatch.registry.fallbacks, engine.dispatch.keys.DispatchKey.PrivateUse1
    of_notebook = fallbacks.pop(key, None)
    library, device = engine.library.Library(NAMESPACE, "DEF"), engine.library.Library("_", "IMPL")
    try:
        library.define(SCHEMA)
        library.impl("affine", lambda x, w, by=2: (engine.matmul(x, w) * by).relu(), "CompositeImplicitAutograd")
        made = {**_on_the_cpu(engine), **_recorded(engine), **(_on_a_device(engine, device) if has_device else {})}
        made["the thread is as before"] = local.local.state is before
        return made
    finally:
        local.local.state, tracer.current.graph = before, graph_before
        library._destroy()
        device._destroy()
        if of_notebook is not None:
            fallbacks[key] = of_notebook
        engine.dispatch.registry.forget_all()


def registered(engine):
    """Register an operator's kernels one by one, and return the results of calls made in between.

    What was registered is not undone, for that is another aspect: the operator is taken away as a whole.
    """
    x, seen = engine.ones(2), []
    name = f"{REGISTERED}::op"
    library = engine.library.Library(REGISTERED, "DEF")
    try:
        library.impl("op", lambda x: x * 2, "CompositeImplicitAutograd")
        library.define("op(Tensor x) -> Tensor")
        op = getattr(engine.ops, REGISTERED).op
        seen += [op(x).tolist(), op(x).tolist()]
        library.impl("op", lambda x: x * 3, "CPU")
        seen.append(op(x).tolist())
        library.impl("op", lambda x: x * 4, "CPU")
        seen += [op(x).tolist(), (op(x.requires_grad_()) * 2).requires_grad]
        library.impl("op", lambda x: x * 5, "Autograd")
        seen.append(op(x).tolist())
        kernels = engine.dispatch.registry.operators[name].registered
        return {"results": seen, "kernels": {key.name: len(of_key) for key, of_key in kernels.items()}}
    finally:
        engine.dispatch.registry.operators.pop(name, None)
        engine.dispatch.registry._libraries.pop(REGISTERED, None)


def _on_the_cpu(engine):
    """Return what calls by name and by position, gradients and a guard give on the CPU."""
    affine = getattr(engine.ops, NAMESPACE).affine
    x, w = engine.ones(2, 3), engine.ones(3, 2) * 0.5
    w.requires_grad_()
    y = affine(w=w, x=x)
    y.sum().backward()
    with engine.dispatch.local.AutoDispatchBelowAutograd():
        below = affine(x, w, 1)
    with engine.dispatch.trace() as steps:
        x.add_(1)
    table = engine.dispatch.table(f"{NAMESPACE}::affine")
    return {
        "y": y.tolist(),
        "gradient": w.grad.tolist(),
        "requires grad below autograd": below.requires_grad,
        "keys of add_": [step.key.name for step in steps],
        "schema": str(affine.default._schema),
        "table": {key: table[key][1] for key in ("CPU", "AutogradCPU", "Tracer")},
    }


def _recorded(engine):
    """Record a graph of two calls."""
    x = engine.ones(2)
    with engine.dispatch.tracer.tracing() as graph:
        x.neg() + x
    return {"graph": str(graph)}


def _on_a_device(engine, device):
    """Run operators and a backward pass on a device that has one fallback for all operators."""
    memory, log = {}, []
    cpu, far = engine.device("cpu"), engine.device("privateuseone")
    sets = engine.dispatch.keys.KEY_SETS

    def seen_as(x, storage, where):
        return engine.Tensor(storage, tuple(x.size()), x.stride(), x.storage_offset(), x.dtype, sets[where])

    def fetched(x):
        return seen_as(x, memory[x.untyped_storage()], "cpu")

    def sent(x):
        storage = engine.storage.UntypedStorage(0, far)
        memory[storage] = x.untyped_storage()
        return seen_as(x, storage, "privateuseone")

    def each(function, value):
        return [each(function, entry) for entry in value] if isinstance(value, (list, tuple)) else function(value)

    def there(value):
        if isinstance(value, engine.Tensor) and value.device == far:
            return fetched(value)
        return cpu if value == far else value

    def kernel(op, *args, **kwargs):
        log.append(op.name())
        result = op(*each(there, args), **{name: each(there, value) for name, value in kwargs.items()})
        return sent(result) if isinstance(result, engine.Tensor) else result

    device.fallback(kernel, "PrivateUse1")
    x = engine.ones(2, 3, device=far)
    w = engine.full((3, 2), 0.5, device=far, requires_grad=True)
    y = getattr(engine.ops, NAMESPACE).affine(x, w, by=3)
    y.sum().backward()
    return {
        "y on the device": fetched(y).tolist(),
        "gradient on the device": fetched(w.grad).tolist(),
        "devices": [str(one.device) for one in (x, w, y, w.grad)],
        "kernels of the device": log,
    }
