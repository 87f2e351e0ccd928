"""The errors of calls that find no kernel, in PyTorch's words (Dispatcher and OperatorEntry::reportError)."""

from .dumps import dump_table
from .keys import DispatchKey
from .registry import OperatorEntry, fallbacks
from .table import computed_table

AMBIGUOUS = (
    "{name} has kernels registered to both CompositeImplicitAutograd and a backend mapped to AutogradOther. This makes "
    "the backend kernel unreachable; the dispatcher will always prefer the CompositeImplicitAutograd lowering (see "
    "Note [Ambiguity in AutogradOther kernel]). If you want to override CompositeImplicitAutograd, please open an "
    "issue to request a dedicated Autograd dispatch key for the backend."
)
NO_TENSORS = (
    "There were no tensor arguments to this function (e.g., you passed an empty list of Tensors), but no fallback "
    "function is registered for schema {name}.  This usually means that this function requires a non-empty list of "
    "Tensors, or that you (the operator writer) forgot to register a fallback function.  Available functions are "
    "{available}.\n\n{table}"
)
NO_KERNEL = (
    "Could not run '{name}' with arguments from the '{key}' backend. This could be because the operator doesn't exist "
    "for this backend, or was omitted during the selective/custom build process (if using custom build). '{name}' is "
    "only available for these backends: {available}.\n\n{table}"
)


def refusal(entry: OperatorEntry, key: DispatchKey, origin: str) -> Exception:
    """Return the error for a call that ends at `key`, where the table has no kernel or one that falls through.

    Args:
        origin: of this entry of the table. "missing": nothing is registered for the key. "ambiguous":
            CompositeImplicitAutograd and a backend's kernel contradict each other at AutogradOther.
    """
    if origin not in ("missing", "ambiguous"):
        return RuntimeError(
            "fallthrough_kernel was executed but it should have been short-circuited by the dispatcher: "
            f"{entry.name} has nothing but a fallthrough at {key.name}, and no lower key is left"
        )
    if origin == "ambiguous":
        return RuntimeError(AMBIGUOUS.format(name=entry.name))
    available = "[" + ", ".join(other.name for other in available_keys(entry)) + "]"
    text = NO_TENSORS if key is DispatchKey.Undefined else NO_KERNEL
    return NotImplementedError(text.format(name=entry.name, key=key.name, available=available, table=dump_table(entry)))


def available_keys(entry: OperatorEntry) -> list[DispatchKey]:
    """Return the keys at which the operator has a kernel, fallbacks included, in the order of `RUNTIME_KEYS`."""
    table = computed_table(entry.kernels, fallbacks)
    return [key for key, (kernel, _) in table.items() if kernel is not None and key is not DispatchKey.Undefined]
