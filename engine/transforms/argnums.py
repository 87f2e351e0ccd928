"""The positional arguments that a derivative is for. Mirrors the helpers of torch/_functorch/eager_transforms.py."""

from typing import Any


def slice_argnums(args: tuple[Any, ...], argnums: Any, as_tuple: bool = True) -> Any:
    """Return the arguments that `argnums` says, an int or a tuple of ints; of an int, without `as_tuple`, the argument.

    Raises:
        RuntimeError: there is no such argument, or one is named twice, or none; or `argnums` is of another type.
    """
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    chosen = [wrap_argnum(one, len(args)) for one in (argnums if isinstance(argnums, tuple) else (argnums,))]
    if not chosen:
        raise RuntimeError("argnums must be non-empty")
    if len(set(chosen)) != len(chosen):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(chosen)}")
    if isinstance(argnums, int) and not as_tuple:
        return args[chosen[0]]
    return tuple(args[one] for one in chosen)


def wrap_argnum(argnum: Any, count: int) -> int:
    """Return the number of an argument, given from the front or, as -1, from the back; a RuntimeError if it is none."""
    if not isinstance(argnum, int):
        raise RuntimeError(f"argnum must be int, got: {type(argnum)}")
    if not -count <= argnum < count:
        raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
    return argnum % count


def replace_args(args: tuple[Any, ...], new: tuple[Any, ...], argnums: Any) -> tuple[Any, ...]:
    """Return the arguments with those that `argnums` says replaced by new ones, in its order."""
    numbers = [wrap_argnum(one, len(args)) for one in (argnums if isinstance(argnums, tuple) else (argnums,))]
    replaced = dict(zip(numbers, new, strict=True))
    return tuple(replaced.get(number, one) for number, one in enumerate(args))
