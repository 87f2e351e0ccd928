"""All that an extender needs: operators from a text in the form of native_functions.yaml, with every name they get.

    handle = extend.register(yaml_text, {"squareplus_meta": squareplus_meta, "squareplus_out": squareplus_out})
    x.squareplus_()
    handle.destroy()

Kernels for operators that exist, and operators without generated forms: `engine.library`.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .aten import native_functions, python_bindings, registration
from .aten.model import NativeFunction
from .dispatch.registry import Handle

_added: list[Sequence[NativeFunction]] = []
_names: set[str] = set()


def register(
    text: str, kernels: Mapping[str, Callable[..., Any]], file: str = "<string>", derivatives: str = ""
) -> Handle:
    """Define operators and bind their names: functions of the package, methods of Tensor, `engine.ops.aten`.

    Args:
        text: entries in the form of native_functions.yaml.
        kernels: the functions that they name, meta functions (`add_Tensor_meta`) included; functions of aten/native/
                can be named as well.
        file: name of the text, for messages.
        derivatives: entries in the form of derivatives.yaml; their formulas may name `kernels`, too.
    Returns:
        A handle whose `destroy()` takes all of it out again.
    Raises:
        ValueError: an entry can't be read, or names a function that is not there; with file and line.
        RuntimeError: an operator exists already. Nothing is left behind.
    """
    functions = native_functions.parse(text, file)
    entered = registration.register_operators(functions, {**registration.NATIVE_KERNELS, **kernels}, derivatives)
    _added.append(functions)
    _bind_names()

    def destroy() -> None:
        entered.destroy()
        _added.remove(functions)
        _bind_names()

    return Handle(destroy)


def _bind_names() -> None:
    package = vars(sys.modules[__package__])
    entries = [*registration.NATIVE_FUNCTIONS, *(f for functions in _added for f in functions)]
    bound = python_bindings.rebind(entries)
    for name in _names - set(bound):
        del package[name]
    _names.clear()
    for name in {f.name.base for functions in _added for f in functions} & set(bound):
        package.setdefault(name, bound[name])
        _names.add(name)
