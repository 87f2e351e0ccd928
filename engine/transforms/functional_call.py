"""A module called with other parameters than its own. Mirrors torch/_functorch/functional_call.py."""

from typing import Any

from ..aten.at import at


def functional_call(module: Any, state: Any, args: Any = None, kwargs: Any = None, *, tie_weights: bool = True, strict: bool = False) -> Any:
    merged: dict[str, Any] = {}
    for one in state if isinstance(state, (tuple, list)) else (state,):
        merged.update(one)
    kept = []
    try:
        for name, value in merged.items():
            owner, _, last = name.rpartition(".")
            place = module.get_submodule(owner) if owner else module
            table = place._parameters if last in place._parameters else place._buffers
            kept.append((table, last, table[last]))
            table[last] = value
        if args is None:
            args = ()
        return module(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
    finally:
        for table, last, value in reversed(kept):
            table[last] = value


def stack_module_state(models: Any) -> Any:
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    params = {k: at.stack(tuple(dict(m.named_parameters())[k].detach() for m in models), 0).requires_grad_() for k, _ in models[0].named_parameters()}
    buffers = {k: at.stack(tuple(dict(m.named_buffers())[k] for m in models), 0) for k, _ in models[0].named_buffers()}
    return params, buffers
