"""Rules that an entry of native_functions.yaml can't express, one row per rule.

Each rule would otherwise show as an operator that does something else than its entry. Mirrors the assertions of
NativeFunction in torchgen/model.py.
"""

from collections.abc import Callable
from typing import Any

from .model import COMPOSITE_KEYS, NativeFunction

Check = tuple[str, Callable[[NativeFunction], Any], str]


def repeats_an_argument(f: NativeFunction) -> bool:
    """Return True if two arguments have the same name."""
    names = [argument.name for argument in f.func.arguments]
    return len(set(names)) < len(names)


def has_one_kernel(f: NativeFunction) -> bool:
    """Return True if the operator is not structured and all its keys have the same function."""
    return not (f.structured or f.structured_delegate) and len(set(f.kernels.values())) == 1


# (the field whose line is named, the entry is refused if this is true of it, why)
CHECKS: tuple[Check, ...] = (
    ("func", repeats_an_argument, "two arguments have the same name"),
    (
        "func",
        lambda f: f.name.is_inplace and not (f.func.arguments and f.func.arguments[0].is_write),
        "the name ends with an underscore, so the first argument has to be written: Tensor(a!) self",
    ),
    (
        "variants",
        lambda f: f.func.is_out and f.variants != ("function",),
        "an out= overload has `variants: function` only",
    ),
    ("python_module", lambda f: f.python_module and "method" in f.variants, "a function in a module can't be a method"),
    (
        "structured",
        lambda f: f.structured and not f.func.is_out,
        "structured belongs to the out= overload; did you mean structured_delegate?",
    ),
    (
        "structured_delegate",
        lambda f: f.structured_delegate and f.func.is_out,
        "an out= overload doesn't delegate; did you mean structured?",
    ),
    (
        "device_guard",
        lambda f: (f.structured or f.structured_delegate) and not f.device_guard,
        "a structured kernel is always guarded, device_guard: False has no effect",
    ),
    *(
        (name, lambda f, name=name: getattr(f, name) and not f.structured, f"{name} needs structured: True")
        for name in ("structured_inherits", "precomputed", "ufunc_inner_loop")
    ),
    (
        "structured",
        lambda f: f.structured and not f.dispatch and not f.ufunc_inner_loop,
        "a structured operator needs a dispatch with its impl functions",
    ),
    (
        "dispatch",
        lambda f: f.structured and "CompositeImplicitAutograd" in f.dispatch,
        "a structured operator has no CompositeImplicitAutograd kernel",
    ),
    (
        "dispatch",
        lambda f: f.structured_delegate and {"CPU", "CUDA"} & set(f.dispatch),
        "the kernels of CPU and CUDA are those of the operator that it delegates to",
    ),
    (
        "dispatch",
        lambda f: f.manual_kernel_registration and f.dispatch,
        "with manual_kernel_registration a dispatch has no effect",
    ),
    (
        "dispatch",
        lambda f: sum(key in f.dispatch for key in COMPOSITE_KEYS) > 1,
        f"only one of {', '.join(COMPOSITE_KEYS)} can be given, each includes the next",
    ),
    (
        "dispatch",
        lambda f: f.dispatch == {"CompositeImplicitAutograd": f.default_kernel} and not f.structured_delegate,
        "that dispatch is what an entry without one means; delete it",
    ),
    ("replay_calls", lambda f: f.replay_calls and "replay" not in f.engine_tags, "replay_calls needs the tag replay"),
    ("scalar_of", lambda f: f.alias_of and f.scalar_of, "only one of alias_of and scalar_of can be given"),
    ("copy_of", lambda f: f.copy_of and (f.alias_of or f.scalar_of), "copy_of generates another kernel"),
    *(
        (
            name,
            lambda f, name=name: getattr(f, name) and not has_one_kernel(f),
            f"{name} generates the one kernel of all keys",
        )
        for name in ("alias_of", "scalar_of", "copy_of")
    ),
    (
        "func",
        lambda f: f.kernels.keys() == {"CompositeImplicitAutograd"} and not f.dispatch and f.is_factory,
        "a factory needs a dispatch, with CompositeExplicitAutograd or backends",
    ),
    (
        "tags",
        lambda f: f.is_random and "nondeterministic_seeded" not in f.tags,
        "an operator that draws random numbers has the tag nondeterministic_seeded",
    ),
    (
        "cpp_no_default_args",
        lambda f: set(f.cpp_no_default_args) - {argument.name for argument in f.func.arguments if argument.has_default},
        "cpp_no_default_args names an argument that has no default",
    ),
)
