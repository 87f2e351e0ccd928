"""From a batching rule to the kernel at FuncTorchBatched: unwrap this level's tensors, call the rule, wrap the results.

The kernel is generated from the operator's schema when it is first called. For `neg(Tensor self) -> Tensor` it is

    def plumbing(self):
        layer = layers.stack[-1] if layers.stack else escaped(entry)
        level, before = layer.level, local.state
        is_batched = type(self) is BatchedTensor and self._level == level
        self_value, self_bdim = (self._value, self._bdim) if is_batched else (self, None)
        local.state = below_vmap(before)
        try:
            if self_bdim is None:
                return entry.call(self)
            result, bdim = rule(layer, entry, [self_value], [self_bdim])
        finally:
            local.state = before
        return BatchedTensor(result, bdim, level) if bdim is not None else result

Mirrors torchgen/gen_vmap_plumbing.py.
"""

import functools
import linecache
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..aten import registration
from ..dispatch import registry
from ..dispatch.calling import parameter
from ..dispatch.function_schema import Argument, FunctionSchema
from ..dispatch.keys import DispatchKey
from ..dispatch.local import ThreadState, local, state_of
from ..dispatch.registry import Handle, OperatorEntry
from ..dispatch.table import Kernel
from .batched import BatchedTensor, unwrap, wrapped
from .interpreters import BATCHED, layers

Rule = Callable[..., tuple[Any, Any]]
"""f(layer, entry, values, bdims) -> (result, bdim of the result): see `batched.unwrapped`."""

_SOURCE = '''\
def plumbing({parameters}):
    """{schema} at FuncTorchBatched, by the rule `{rule}`."""
    layer = layers.stack[-1] if layers.stack else escaped(entry)
    level, before = layer.level, local.state
{unwraps}
    local.state = below_vmap(before)
    try:
        if {unbatched}:
            return entry.call({parameters})
        result, bdim = rule(layer, entry, [{values}], [{bdims}])
    finally:
        local.state = before
    {returns}
'''
_TENSOR = """\
    is_batched = type({0}) is BatchedTensor and {0}._level == level
    {0}_value, {0}_bdim = ({0}._value, {0}._bdim) if is_batched else ({0}, None)
"""
_LIST = """\
    {0}_pairs = [unwrap(one, level) for one in {0} or ()]
    {0}_value = tuple([value for value, _ in {0}_pairs])
    {0}_bdim = tuple([bdim for _, bdim in {0}_pairs])
"""
ESCAPED = (
    "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
    "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in `{}` Please "
    "file an issue if it looks like the latter"
)
KERNELS: dict[str, "Plumbing"] = {}
"""The generated kernels, by operator."""


def escaped(entry: OperatorEntry) -> Any:
    """Raise the error of a batched tensor that is used where there is no layer."""
    raise RuntimeError(ESCAPED.format("gen_vmap_plumbing"))


def current_layer(entry: OperatorEntry) -> Any:
    """Return the innermost layer.

    Raises:
        RuntimeError: there is none, so a batched tensor has escaped from its function.
    """
    return layers.stack[-1] if layers.stack else escaped(entry)


@functools.cache
def below_vmap(state: ThreadState) -> ThreadState:
    """Return the state in which a rule runs: without the key of batched tensors, which outer levels have, too."""
    return state_of(state.included, state.excluded | BATCHED)


def source_of(schema: FunctionSchema, rule: Rule) -> str:
    """Return the source of the kernel of an operator with a rule."""
    names = [parameter(argument) for argument in schema.arguments]
    tensors = {parameter(argument): argument for argument in schema.tensor_arguments}
    is_tensor = len(schema.returns) == 1 and str(schema.returns[0].type) == "Tensor"
    returns = "return BatchedTensor(result, bdim, level) if bdim is not None else result"
    if schema.writes_only_self:
        returns = f"return {names[0]}"
    elif not is_tensor:
        returns = "return wrapped(result, bdim, level)"
    if getattr(rule, "replaces_self", False):
        returns = f"{names[0]}._take(result, bdim)\n    {returns}"
    return _SOURCE.format(
        parameters=", ".join(names),
        schema=schema,
        rule=getattr(rule, "__name__", rule),
        unwraps="".join((_LIST if one.type.is_list else _TENSOR).format(name) for name, one in tensors.items())[:-1],
        unbatched=" and ".join(map(_unbatched, tensors.values())) or "True",
        values=", ".join(f"{name}_value" if name in tensors else name for name in names),
        bdims=", ".join(f"{name}_bdim" if name in tensors else "None" for name in names),
        returns=returns,
    )


def _unbatched(argument: Argument) -> str:
    name = f"{parameter(argument)}_bdim"
    return f"not any([bdim is not None for bdim in {name}])" if argument.type.is_list else f"{name} is None"


class Plumbing:
    """The kernel of an operator with a batching rule: `function`, which is compiled when it is first called."""

    def __init__(self, name: str, rule: Rule):
        self.name, self.rule = name, rule
        self.scope: dict[str, Any] = {
            "BatchedTensor": BatchedTensor, "below_vmap": below_vmap, "compile_plumbing": self.compile,
            "escaped": escaped, "layers": layers, "local": local, "rule": rule, "unwrap": unwrap, "wrapped": wrapped,
        }  # fmt: skip
        self.function = FunctionType(_first_call.__code__, self.scope, "plumbing")

    @property
    def source(self) -> str:
        schema = registry.find(self.name).schema
        assert schema is not None
        return source_of(schema, self.rule)

    def compile(self) -> FunctionType:
        """Compile the source into the function."""
        source, filename = self.source, f"<plumbing: {self.name}>"
        made: dict[str, Any] = {}
        exec(compile(source, filename, "exec"), made)
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        self.scope["entry"] = registry.find(self.name)
        self.function.__code__ = made["plumbing"].__code__  # type: ignore[attr-defined]
        return self.function


def _first_call(*arguments: Any) -> Any:
    return compile_plumbing()(*arguments)  # type: ignore[name-defined]  # noqa: F821


def register(name: str, rule: Rule) -> Handle:
    """Register the batching rule of an operator, "aten::add.Tensor"; `destroy()` of the handle undoes it."""
    plumbing, before = Plumbing(name, rule), KERNELS.get(name)
    KERNELS[name] = plumbing
    place = f"registered at {rule.__code__.co_filename}:{rule.__code__.co_firstlineno}"
    handle = registry.register(name, DispatchKey.FuncTorchBatched, Kernel(plumbing.function, rule, debug=place))

    def undo() -> None:
        handle.destroy()
        if before is None:
            del KERNELS[name]
        else:
            KERNELS[name] = before

    return Handle(undo)


def sources() -> dict[str, str]:
    """Return the source of all kernels: for each family of operators, the name that its forms share, a text."""
    texts: dict[str, str] = {}
    for name, plumbing in KERNELS.items():
        family = registry.find(name).schema.name.functional  # type: ignore[union-attr]
        texts[family] = f"{texts[family]}\n" if family in texts else ""
        texts[family] += f"# {name}\n{plumbing.source}"
    return texts


registration.SOURCES["plumbing"] = sources
