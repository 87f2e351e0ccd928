"""Probe of BackendSelect: the key of a factory's options."""


def key(engine, dtype, layout, device):
    """Return the name of the key that `compute_dispatch_key` returns for options given by name, or as None."""
    options = (
        dtype and getattr(engine, dtype),
        layout and (engine.dtypes.strided if layout == "strided" else engine.dtypes.layout(layout)),
        device and engine.dtypes.device(device),
    )
    made = engine.dispatch.backend_select.compute_dispatch_key(*options)
    return made.name if type(made) is engine.dispatch.keys.DispatchKey else ("not a key", type(made).__name__)
