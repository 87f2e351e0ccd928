"""From an operator and its entry of derivatives.yaml to the source of the kernel at the Autograd keys.

    def Autograd_mul_Tensor(self, other, below): decide, save, go on below autograd, set history

What is below autograd is resolved once for each key set, and bound (`Kernel.below`).

Mirrors tools/autograd/gen_variable_type.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..aten.codegen import BELOW, is_composite, names_of
from ..aten.model import NativeFunction
from ..dispatch.calling import parameter
from ..dispatch.function_schema import Argument, FunctionSchema
from .derivatives import DifferentiabilityInfo
from .formulas import all_saved, formulas_of, positions_of, results_of, targets_of

UNSAFE_VIEWS = ("_unsafe_view",)
"""Their results share memory with the argument, which its caller has made for them and lets go."""


@dataclass(frozen=True)
class Recorded:
    """An operator and the entry that defines its gradients, which may be the entry of its functional variant.

    Args:
        f: the operator.
        info: None: it has no entry.
    """

    f: NativeFunction
    info: DifferentiabilityInfo | None

    @property
    def function(self) -> str:
        return f"Autograd_{self.f.func.unambiguous_name}"

    @property
    def inputs(self) -> list[Argument]:
        """The tensor arguments that may require grad."""
        left_out = self.info.non_differentiable if self.info else ()
        return [
            argument
            for argument in self.f.func.tensor_arguments
            if not argument.is_out and argument.name not in left_out
        ]

    @property
    def refused(self) -> list[Argument]:
        """The tensor arguments that must not require grad, since the entry has no formula for them."""
        return [one for one in self.inputs if self.info and one.name not in self.info.formulas and one.name != "output"]


def redispatched(f: NativeFunction) -> str:
    """Return the source of the call that redispatches an operator below autograd."""
    return f"below({names_of(f.func.arguments)})"


def guarded(call: str) -> str:
    """Return the source of a call below ADInplaceOrView, where nested operators neither record nor bump versions."""
    return BELOW.format(call=call)


def indented(text: str) -> str:
    """Indent a text by one level."""
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))


def calls_others(f: NativeFunction) -> bool:
    """Return True if the kernel below autograd may call operators that must neither record nor bump versions."""
    return any(key.startswith("CompositeExplicitAutograd") for key in f.kernels) and not f.func.is_mutable


REFUSE_OUT = ("linear.out",)
"""Refuses by itself, because PyTorch has formulas for its functional form, which here is made of others everywhere."""


def kernel_source(recorded: Recorded, debug: bool = False) -> str:
    """Return the source of the kernel for the Autograd keys.

    Args:
        debug: with the assertions of a debug build.
    """
    f, info = recorded.f, recorded.info
    head = f"def {recorded.function}({names_of(f.func.arguments)}, below):\n"
    call = f"return {redispatched(f)}"
    plain = guarded(call) if calls_others(f) else f"    {call}\n"
    refuses = str(f.name) in REFUSE_OUT
    if f.func.is_out and (info is not None or refuses):
        return head + (_refusal_of_out(recorded) if refuses or (info and info.node) else "") + plain
    if not returns_tensors(f.func) or (info is not None and not info.node) or not recorded.inputs:
        return head + guarded(call)
    return (
        head
        + f"    if {nothing_to_record(recorded)}:\n"
        + indented(plain)
        + (_record_lines(recorded, info, debug) if info else _not_implemented(recorded))
    )


def returns_tensors(schema: FunctionSchema) -> bool:
    """Return True if a result is a tensor or a list of tensors."""
    return any(returned.type.base == "Tensor" for returned in schema.returns)


def nothing_to_record(recorded: Recorded) -> str:
    """Return the source of the condition under which a call skips recording: recording is off, or no input needs it."""
    single = [parameter(argument) for argument in recorded.inputs if str(argument.type) == "Tensor"]
    others = [parameter(argument) for argument in recorded.inputs if str(argument.type) != "Tensor"]
    optional = [parameter(argument) for argument in recorded.inputs if str(argument.type) == "Tensor?"]
    plain = [f"{name}._autograd_meta is None" for name in single]
    plain += [f"({name} is None or {name}._autograd_meta is None)" for name in optional]
    wanted = [f"requires_grad({name})" for name in single]
    wanted += [
        f"({name} is not None and requires_grad({name}))" if name in optional else f"any_requires_grad({name})"
        for name in others
    ]
    condition = f"({recorded.info.condition}) and " if recorded.info and recorded.info.condition else ""
    asked = f"not (autograd.grad_mode and {condition}({' or '.join(wanted)}))"
    return f"({' and '.join(plain)}) or {asked}" if len(plain) == len(recorded.inputs) else asked


def _refusal_of_out(recorded: Recorded) -> str:
    schema = recorded.f.func
    wanted = [
        f"any_requires_grad({parameter(argument)})"
        if argument.type.is_list
        else f"({parameter(argument)} is not None and requires_grad({parameter(argument)}))"
        for argument in schema.tensor_arguments
    ]
    return f'    if autograd.grad_mode and ({" or ".join(wanted)}):\n        refuse_out("{schema.name.base}")\n'


def _edges(info: DifferentiabilityInfo) -> str:
    parts = []
    for argument in targets_of(info):
        name = parameter(argument)
        if argument.type.is_list:
            parts.append(f"*gradient_edges({name})")
        elif "?" in str(argument.type):
            parts.append(f"gradient_edge({name}) if {name} is not None else None")
        else:
            parts.append(f"gradient_edge({name})")
    return f"({''.join(f'{part}, ' for part in parts)})"


def _save_lines(info: DifferentiabilityInfo, is_output: bool, is_inplace: bool) -> list[str]:
    """Return lines that save what formulas use; a value that only one formula uses, if its gradient is requested."""
    formulas = formulas_of(info)
    positions = positions_of(targets_of(info))
    lines = []
    for name, saved in all_saved(formulas).items():
        if saved.is_output != is_output:
            continue
        users = [formula for formula in formulas if saved in formula.saved]
        expression = saved.expression
        if is_inplace and name == "self" and saved.kind == "tensor":
            expression = "at.clone(self)"
        if saved.kind == "tensor":
            expression = f"SavedVariable({expression}{', True' if is_output else ''})"
        elif saved.kind == "tensors":
            expression = f"save_list({expression})"
        if saved.kind != "value" and not is_output and len(users) == 1 and len(formulas) > 1:
            wanted = " or ".join(
                f"any(edges[{positions[target]}])" if ":" in positions[target] else f"edges[{positions[target]}]"
                for target in users[0].names
            )
            expression = f"{expression} if {wanted} else None"
        lines.append(f"    node.saved_{name} = {expression}\n")
    return lines


def _record_lines(recorded: Recorded, info: DifferentiabilityInfo, debug: bool) -> str:
    f = recorded.f
    written = [parameter(argument) for argument in f.func.mutated] if f.func.is_inplace else []
    outputs = results_of(info.func)
    lines = [
        f'    check_no_requires_grad({name}, "{name}", "{f.func.name.base}")\n'
        for name in map(parameter, recorded.refused)
    ]
    lines += [f"    check_inplace({name})\n" for name in written[:1]]
    lines += [f"    edges = {_edges(info)}\n", f"    node = {info.node}(edges)\n"]
    lines += _save_lines(info, is_output=False, is_inplace=bool(written))
    checked = names_of(f.func.tensor_arguments)
    if debug:
        lines.append(f"    before = metadata_of({checked},)\n")
    lines.append(guarded(f"result = {redispatched(f)}"))
    if debug:
        kind = "view" if f.func.is_view or f.name.base in UNSAFE_VIEWS else "inplace" if written else ""
        kind = "inplace_view" if "inplace_view" in f.tags else kind
        lines.append(f'    assert_unchanged("{f.name}", before, metadata_of({checked},), result, "{kind}")\n')
    if written:
        moved = "replace_history" if "inplace_view" in f.tags else "rebase_history"
        lines.append(f"    {moved}({written[0]}, node)\n")
        lines += [f"    {name} = {written[0]}\n" for name in outputs if name != written[0]]
    else:
        lines += _history_lines(f, info, outputs)
    lines += _save_lines(info, is_output=True, is_inplace=bool(written))
    return "".join([*lines, "    return result\n"])


def _history_lines(f: NativeFunction, info: DifferentiabilityInfo, outputs: Sequence[str]) -> list[str]:
    """Return lines that name the outputs and give a history to the differentiable ones."""
    several = len(outputs) > 1
    lines = [f"    {', '.join(outputs)} = result\n"] if several else []
    if not several and outputs[0] != "result":
        lines = [f"    {outputs[0]} = result\n"]
    only_first = any("grad" in formula.used for formula in formulas_of(info))
    differentiable = info.output_differentiability or (True, *(not only_first for _ in outputs[1:]))
    for name, returned, is_differentiable in zip(outputs, f.func.returns, differentiable, strict=True):
        if is_differentiable and returned.type.base == "Tensor":
            each = "set_histories" if returned.type.is_list else "set_history"
            lines.append(f"    {each}({name}, node)\n")
    return lines


def _not_implemented(recorded: Recorded) -> str:
    """Return lines for an operator without an entry: its result raises an error when the gradient is requested."""
    f = recorded.f
    edges = " + ".join(
        f"gradient_edges({parameter(argument)})"
        if argument.type.is_list
        else f"gradient_edges(({parameter(argument)},))"
        for argument in recorded.inputs
    )
    written = [parameter(argument) for argument in f.func.mutated]
    lines = [f"    check_inplace({written[0]})\n"] if written else []
    lines += [f'    node = NotImplemented("{f.name.base}", {edges})\n', guarded(f"result = {redispatched(f)}")]
    if written:
        lines.append(f"    rebase_history({written[0]}, node)\n")
    elif len(f.func.returns) == 1 and not f.func.returns[0].type.is_list:
        lines.append("    set_history(result, node)\n")
    else:
        lines.append("    set_histories(result, node)\n")
    return "".join([*lines, "    return result\n"])


def entry_of(f: NativeFunction, infos: Mapping[str, DifferentiabilityInfo]) -> DifferentiabilityInfo | None:
    """Return the entry that defines an operator's gradients: its own, else its functional variant's.

    A `{view}_copy` has the formulas of its view, and a node of its own name. PyTorch has no gradients for the `out=`
    forms that it generates itself.

    Source: match_differentiability_info (torchgen/api/autograd.py), add_view_copy_derivatives
    (tools/autograd/load_derivatives.py).
    """
    info = infos.get(str(f.name))
    if info is None and f.copy_of:
        info = infos.get(str(f.copy_of))
        if info is not None and info.node and "view_copy" in f.tags:
            return replace(info, text=str(f.func), node=f"{info.node}_copy")
    if info is None and (f.name.is_inplace or f.func.is_out) and "generated" not in f.tags:
        # By the arguments: pow_.Scalar is pow.Tensor_Scalar, not pow.Scalar.
        base, arguments = f.name.functional, _signature(f.func)
        forms = (infos[name] for name in infos if name.partition(".")[0] == base)
        info = next((form for form in forms if _signature(form.func) == arguments), None)
    return info


def _signature(schema: FunctionSchema) -> list[tuple[str, str, bool]]:
    given = (argument for argument in schema.arguments if not argument.is_out)
    return [(argument.name, argument.type.base, argument.type.is_list) for argument in given]


def is_recorded(f: NativeFunction) -> bool:
    """Return True if an operator has an autograd kernel: it takes tensors and is not composite."""
    return bool(f.func.tensor_arguments) and not is_composite(f)
