"""A module called with other parameters than its own, and the parameters of several modules stacked.

Mirrors torch/_functorch/{functional_call,batch_norm_replacement}.py and torch/nn/utils/stateless.py.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ..aten.at import at
from ..autograd import variable
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from ..tensor_impl import Tensor

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]

Tensors = dict[str, Any]
ABSENT: Any = object()
"""The value of a name that a module does not have."""

NO_DICTS = "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {}"
TIED = "functional_call got multiple values for keys {}, which are tied. Consider using tie_weights=False"


def functional_call(
    module: Module, parameter_and_buffer_dicts: Tensors | Sequence[Tensors], args: Any = None,
    kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with the given tensors instead of its parameters and buffers, which stay as they are.

    Args:
        parameter_and_buffer_dicts: name, as in the state dict -> tensor; or several such dicts with different names. A
            tensor that the module assigns to one of its names during the call is put into a single dict.
        args: a tuple of arguments, or one argument.
        tie_weights: one tensor with several names in the module may be given by any of them.
        strict: each parameter and buffer must be given, and nothing else.
    Raises:
        ValueError: no dicts; a name in two of them; different tensors for tied names.
        RuntimeError: with `strict`, missing or unexpected names.
        TypeError, AttributeError: a value is not a tensor; there is no such submodule.

    Source: _functional_call (torch/nn/utils/stateless.py).
    """
    state = merged(parameter_and_buffer_dicts)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with reparametrized(module, state, tie_weights, strict):
        return module(*args, **(kwargs or {}))


def merged(dicts: Any) -> Tensors:
    """Return one dict of several; a ValueError if they have a name in common, or are something else."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(NO_DICTS.format(type(dicts)))
    if not all(isinstance(one, dict) for one in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    repeated = [name for name, count in Counter(name for one in dicts for name in one).items() if count > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: value for one in dicts for name, value in one.items()}


@contextlib.contextmanager
def reparametrized(module: Module, state: Tensors, tie_weights: bool, strict: bool) -> Iterator[None]:
    """Give a module the tensors of `state` inside the block, and its own again behind it.

    Source: _reparametrize_module (torch/nn/utils/stateless.py).
    """
    given = untied(module, state) if tie_weights else state
    if strict:
        check_names(module, given)
    own: Tensors = {}
    try:
        for name, value in given.items():
            own[name] = swap(module, name, value)
        yield
    finally:
        after = {name: swap(module, name, value) for name, value in own.items()}
        state.update({name: after[name] for name in state if name in after})


def named_tensors(module: Module) -> dict[str, Tensor]:
    """Return the parameters and buffers of a module by name, tied ones by each of their names."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def untied(module: Module, state: Tensors) -> Tensors:
    """Return `state` with a tensor for all names that are tied to a given one; a ValueError if they are different."""
    names_of: dict[int, list[str]] = {}
    for name, tensor in named_tensors(module).items():
        names_of.setdefault(id(tensor), []).append(name)
    found = dict(state)
    for names in names_of.values():
        given = [name for name in names if name in state]
        if len({id(state[name]) for name in given}) > 1:
            raise ValueError(TIED.format(sorted(names)))
        if given:
            found.update(dict.fromkeys(names, state[given[0]]))
    return found


def check_names(module: Module, state: Tensors) -> None:
    """Raise a RuntimeError unless all parameters and buffers of a module are given, and nothing else."""
    names = set(named_tensors(module))
    wrong = (("Unexpected", sorted(set(state) - names)), ("Missing", sorted(names - set(state))))
    lines = [f"{kind} key(s): {', '.join(map(repr, found))}." for kind, found in wrong if found]
    if lines:
        raise RuntimeError("Error(s) in reparametrizing for {}:\n\t{}".format(module._get_name(), "\n\t".join(lines)))


def swap(module: Module, path: str, value: Any) -> Any:
    """Set a parameter, a buffer or another attribute of a module; return what it was before, ABSENT if nothing."""
    owner, name = submodule(module, path)
    if value is not ABSENT and value is not None and not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    for table in (owner._parameters, owner._buffers):
        if name in table:
            before = table[name]
            if value is ABSENT:
                del table[name]
            else:
                table[name] = value
            return before
    before = getattr(owner, name, ABSENT)
    if before is not ABSENT and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if value is not ABSENT:
        setattr(owner, name, value)
    elif before is not ABSENT:
        delattr(owner, name)
    return before


def submodule(module: Module, path: str) -> tuple[Module, str]:
    """Return the submodule that has a tensor, and the tensor's name there."""
    *folders, name = path.split(".")
    for number, folder in enumerate(folders, 1):
        found = getattr(module, folder, ABSENT)
        if found is ABSENT:
            raise AttributeError(f"{module._get_name()} has no attribute `{folder}`")
        if not isinstance(found, Module):
            raise TypeError(f"submodule `{'.'.join(folders[:number])}`: {found} is not an instance of torch.nn.Module")
        module = found
    return module, name


# ---- several modules


def stack_module_state(models: Sequence[Module]) -> tuple[Tensors, Tensors]:
    """Return the parameters and the buffers of modules of one class, stacked, for vmap over `functional_call`.

    Returns:
        (parameters, buffers): name -> a leaf of sizes (number of models, *sizes of the tensor), which requires grad if
        the models' tensors do.
    Raises:
        RuntimeError: there are no models; they are of different classes, or not all in training mode; a parameter
            requires grad in some of them.

    Source: stack_module_state (torch/_functorch/functional_call.py).
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(model) for model in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    return (
        _stacked([dict(model.named_parameters()) for model in models]),
        _stacked([dict(model.named_buffers()) for model in models]),
    )


def _stacked(states: Sequence[Tensors]) -> Tensors:
    return {name: _stacked_leaf([state[name] for state in states], name) for name in states[0]}


def _stacked_leaf(tensors: Sequence[Tensor], name: str) -> Tensor:
    needs = {variable.requires_grad(tensor) for tensor in tensors}
    if len(needs) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    result = at.stack(tuple(tensors))
    return at.detach(result).requires_grad_() if needs == {True} else result


def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Let the batch norms of a network keep no running statistics, which vmap could not write to; return it."""
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
