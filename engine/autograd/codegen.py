"""From entries of derivatives.yaml to Python source: node classes, and the kernels that record.

    class MulBackward0(Node)      what is saved, and the formulas
    Autograd_mul_Tensor           decide, save, redispatch below autograd, set history
    ADInplaceOrView_view          redispatch, note that the result is a view

Mirrors tools/autograd/{gen_autograd_functions,gen_variable_type,gen_inplace_or_view_type}.py.
"""

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..aten.codegen import BELOW, is_composite, names_of
from ..aten.model import NativeFunction
from ..dispatch.calling import parameter
from ..dispatch.function_schema import Argument, FunctionSchema
from .derivatives import DifferentiabilityInfo

# What a formula may ask of a tensor without saving it: the name under which it is kept, and how it is found.
ATTRIBUTES = {
    "shape": ("sym_sizes", "{0}._sizes"),
    "dtype": ("scalar_type", "{0}._dtype"),
    "device": ("device", "{0}.device"),
}
CALLS = {
    "dim": ("dim", "len({0}._sizes)"),
    "numel": ("sym_numel", "{0}.numel()"),
    "stride": ("sym_strides", "{0}._strides"),
    "storage_offset": ("sym_storage_offset", "{0}._storage_offset"),
    "is_contiguous": ("is_contiguous", "{0}.is_contiguous()"),
}
OF_LISTS = {"sizes_of": "sizes", "dtypes_of": "scalar_types"}


@dataclass(frozen=True)
class Saved:
    """Something that a node keeps from the forward pass.

    Args:
        name: as the formulas call it.
        kind: "tensor", "tensors" or "value".
        expression: what computes it, in the forward kernel.
        is_output: it is a result of the operator, there only after the call.
    """

    name: str
    kind: str
    expression: str
    is_output: bool = False


# ---- formulas


class _Names(ast.NodeTransformer):
    """Replaces what a formula asks of tensors by names, and notes what is to be saved."""

    def __init__(self, schema: FunctionSchema, results: Collection[str]):
        self.tensors = {parameter(argument): argument for argument in schema.arguments}
        self.results = results
        self.saved: dict[str, Saved] = {}
        self.used: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.attr in ATTRIBUTES and self._is_tensor(node.value.id):
            return self._kept(node.value.id, *ATTRIBUTES[node.attr])
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        match function:
            case ast.Attribute(value=ast.Name(id=tensor), attr=method) if method in CALLS and not node.args:
                if self._is_tensor(tensor):
                    return self._kept(tensor, *CALLS[method])
        if isinstance(function, ast.Name) and function.id in OF_LISTS and isinstance(node.args[0], ast.Name):
            return self._kept(node.args[0].id, OF_LISTS[function.id], f"{function.id}({{0}})")
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name = node.id
        self.used.add(name)
        if name in self.results:
            self.saved[name] = Saved(name, "tensor", name, is_output=True)
        elif name in self.tensors:
            type = self.tensors[name].type
            kind = "value" if type.base != "Tensor" else "tensors" if type.is_list else "tensor"
            self.saved[name] = Saved(name, kind, name)
        return node

    def _is_tensor(self, name: str) -> bool:
        return name in self.results or (name in self.tensors and self.tensors[name].type.base == "Tensor")

    def _kept(self, tensor: str, suffix: str, expression: str) -> ast.Name:
        name = f"{tensor}_{suffix}"
        argument = self.tensors.get(tensor)
        found = expression.format(tensor)
        if argument is not None and "?" in str(argument.type) and not argument.type.is_list:
            found = f"{found} if {tensor} is not None else None"
        self.saved[name] = Saved(name, "value", found, is_output=tensor in self.results)
        return ast.Name(name, ast.Load())


@dataclass(frozen=True)
class Formula:
    """A line of an entry, ready to be written into a node: what it saves, and whether it uses `grad` alone."""

    names: tuple[str, ...]
    expression: str
    saved: tuple[Saved, ...]
    used: frozenset[str]


def results_of(schema: FunctionSchema) -> list[str]:
    """How formulas call the outputs."""
    if len(schema.returns) == 1:
        return [schema.returns[0].name or "result"]
    return [returned.name or f"result{number}" for number, returned in enumerate(schema.returns)]


def formulas_of(info: DifferentiabilityInfo) -> list[Formula]:
    """The formulas of an entry.

    Raises:
        ValueError: one is no expression, or stands for an argument that the operator has not; with file and line.
    """
    results = results_of(info.func)
    known = {argument.name for argument in info.func.tensor_arguments}
    formulas = []
    for derivative in info.derivatives:
        for name in derivative.names:
            if name not in known:
                raise ValueError(f"{info.location}: {name} is no tensor argument of {info.text}")
        try:
            tree = ast.parse(derivative.formula.strip(), mode="eval")
        except SyntaxError as error:
            raise ValueError(f"{info.location}: {derivative.formula}: {error.msg}") from None
        names = _Names(info.func, {*results, "result"} if len(results) == 1 else results)
        tree = names.visit(tree)
        saved = tuple(names.saved.values())
        formulas.append(Formula(derivative.names, ast.unparse(tree), saved, frozenset(names.used)))
    return formulas


def targets_of(info: DifferentiabilityInfo) -> list[Argument]:
    """The arguments that have a gradient, in the order of the node's edges."""
    return [argument for argument in info.func.tensor_arguments if argument.name in info.formulas]


def all_saved(formulas: Sequence[Formula]) -> dict[str, Saved]:
    """What the formulas of an entry save, by name."""
    return {saved.name: saved for formula in formulas for saved in formula.saved}


# ---- the node


def node_source(info: DifferentiabilityInfo) -> str:
    """The class of a node: slots for what is saved, `apply` with the formulas, `release_variables`."""
    formulas = formulas_of(info)
    saved = all_saved(formulas)
    slots = "".join(f'"saved_{name}", ' for name in saved)
    tensors = [f"node.saved_{name}" for name, kept in saved.items() if kept.kind != "value"]
    lines = [
        f"class {info.node}(Node):",
        f'    """Backward of {info.text}"""',
        f"    __slots__ = ({slots})",
        f"    saved_fields = ({''.join(f'{name!r}, ' for name in saved)})",
        *([f'    namespace = "{info.namespace}"'] if info.namespace else ()),
        "",
        "    def apply(node, grads, needs):",
        *_gradients_lines(formulas),
        *(f"        {name} = {_unpacked(kept)}" for name, kept in saved.items()),
        *_formula_lines(info, formulas),
    ]
    if tensors:
        lines += ["", "    def release_variables(node):", f"        {' = '.join(tensors)} = FREED_VARIABLE"]
    return "\n".join(lines) + "\n"


def _gradients_lines(formulas: Sequence[Formula]) -> list[str]:
    used = frozenset().union(*(formula.used for formula in formulas))
    nothing = "            return (None,) * len(needs)"
    if "grads" in used:
        lines = ["        if not any(grad is not None for grad in grads):", nothing]
        return [*lines, "        grad = grads[0]"] if "grad" in used else lines
    return ["        grad = grads[0]", "        if grad is None:", nothing]


def _unpacked(saved: Saved) -> str:
    field = f"node.saved_{saved.name}"
    if saved.kind == "value":
        return field
    return f"unpack_list({field}, node)" if saved.kind == "tensors" else f"{field} and {field}.unpack(node)"


def _formula_lines(info: DifferentiabilityInfo, formulas: Sequence[Formula]) -> list[str]:
    positions = positions_of(targets_of(info))
    lines: list[str] = []
    shown: dict[str, str] = {}
    for formula in formulas:
        asked = [_asked(positions[name]) for name in formula.names]
        if len(formula.names) == 1:
            (name,) = formula.names
            if ":" in positions[name]:
                shown[name] = f"*(({formula.expression}) if any({asked[0]}) else (None,) * len({asked[0]}))"
            else:
                shown[name] = f"({formula.expression}) if {asked[0]} else None"
            continue
        made = [f"grad_{name}" for name in formula.names]
        lines += [
            f"        grad_input_mask = ({''.join(f'bool({one}), ' for one in asked)})",
            f"        {', '.join(made)} = ({formula.expression}) if any(grad_input_mask) else (None,) * {len(made)}",
        ]
        shown.update(zip(formula.names, made, strict=True))
    ordered = [shown[argument.name] for argument in targets_of(info)]
    return [*lines, "        return (", *(f"            {one}," for one in ordered), "        )"]


def positions_of(targets: Sequence[Argument]) -> dict[str, str]:
    """Argument -> which of the node's edges are its own: "0", "-1", or "1:-2" of a list of tensors."""
    lists = [number for number, argument in enumerate(targets) if argument.type.is_list]
    first_list = lists[0] if lists else len(targets)
    positions = {}
    for number, argument in enumerate(targets):
        behind = len(targets) - number
        if number < first_list:
            positions[argument.name] = str(number)
        elif number == first_list:
            positions[argument.name] = f"{number}:{-(behind - 1)}" if behind > 1 else f"{number}:"
        else:
            positions[argument.name] = str(-behind)
    return positions


def _asked(position: str) -> str:
    return f"needs[{position}]"


# ---- the kernel that records


@dataclass(frozen=True)
class Recorded:
    """An operator and the entry that its gradients come from, which may be that of its functional form.

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
        """The tensor arguments that must not require grad: the entry has no line for them."""
        return [one for one in self.inputs if self.info and one.name not in self.info.formulas and one.name != "output"]


def redispatched(f: NativeFunction) -> str:
    """The call of the same operator below autograd."""
    return f'redispatches["{f.name}"][key_set & AFTER_AUTOGRAD]({names_of(f.func.arguments)})'


def guarded(call: str) -> str:
    """A call below ADInplaceOrView: what it does inside is neither recorded nor counted."""
    return BELOW.format(call=call)


def indented(text: str) -> str:
    """A text one level deeper."""
    return "".join(f"    {line}" for line in text.splitlines(keepends=True))


def calls_others(f: NativeFunction) -> bool:
    """Whether the kernel below may call operators, whose writes and records are not the caller's."""
    return any(key.startswith("CompositeExplicitAutograd") for key in f.kernels) and not f.func.is_mutable


def kernel_source(recorded: Recorded, debug: bool = False) -> str:
    """The function at the Autograd keys.

    Args:
        debug: with the assertions of a debug build.
    """
    f, info = recorded.f, recorded.info
    head = f"def {recorded.function}(key_set, {names_of(f.func.arguments)}):\n"
    call = f"return {redispatched(f)}"
    plain = guarded(call) if calls_others(f) else f"    {call}\n"
    if f.func.is_out and info is not None:
        return head + (_refusal_of_out(recorded) if info.node else "") + plain
    if not returns_tensors(f.func) or (info is not None and not info.node) or not recorded.inputs:
        return head + guarded(call)
    return (
        head
        + f"    if {nothing_to_record(recorded)}:\n"
        + indented(plain)
        + (_record_lines(recorded, info, debug) if info else _not_implemented(recorded))
    )


def returns_tensors(schema: FunctionSchema) -> bool:
    """Whether a result is a tensor, or a list of them."""
    return any(returned.type.base == "Tensor" for returned in schema.returns)


def nothing_to_record(recorded: Recorded) -> str:
    """A condition: no tensor has anything to do with autograd, or nobody wants to record."""
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
    asked = f"not (autograd.grad_mode and ({' or '.join(wanted)}))"
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
    """Saves what the formulas use; what only one of them uses, only if its gradient will be asked for."""
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
    """The outputs get their names, and those that are differentiable their history."""
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
    """An operator without an entry: what it makes says so when someone asks for the gradient."""
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


# ---- the kernel that notes views


UNSAFE_VIEWS = ("_unsafe_view",)
"""Their results share memory with the argument, which its caller has made for them and lets go."""
NO_VIEWS = ("detach", "view.dtype")
"""Their results share memory and versions with the argument, and are no views of it to autograd."""


def view_source(f: NativeFunction) -> str:
    """The function at ADInplaceOrView of an operator that makes a view: the call below, then the note."""
    base = next(
        parameter(argument)
        for argument in f.func.tensor_arguments
        if argument.annotation is not None and not argument.is_write
    )
    call = f'result = redispatches["{f.name}"][key_set & AFTER_ADINPLACEORVIEW]({names_of(f.func.arguments)})'
    several = len(f.func.returns) > 1 or f.func.returns[0].type.is_list
    note = f"    as_views({base}, result)\n" if several else f"    as_view({base}, result)\n"
    return (
        f"def ADInplaceOrView_{f.func.unambiguous_name}(key_set, {names_of(f.func.arguments)}):\n"
        + (guarded(call) if calls_others(f) else f"    {call}\n")
        + note
        + "    return result\n"
    )


def entry_of(f: NativeFunction, infos: Mapping[str, DifferentiabilityInfo]) -> DifferentiabilityInfo | None:
    """The entry that an operator's gradients come from: its own, else that of its functional form.

    Source: match_differentiability_info (torchgen/api/autograd.py).
    """
    info = infos.get(str(f.name))
    if info is None and (f.name.is_inplace or f.func.is_out):
        # By the arguments: pow_.Scalar is pow.Tensor_Scalar, not pow.Scalar.
        base, arguments = f.name.functional, _signature(f.func)
        forms = (infos[name] for name in infos if name.partition(".")[0] == base)
        info = next((form for form in forms if _signature(form.func) == arguments), None)
    return info


def _signature(schema: FunctionSchema) -> list[tuple[str, str, bool]]:
    given = (argument for argument in schema.arguments if not argument.is_out)
    return [(argument.name, argument.type.base, argument.type.is_list) for argument in given]


def is_recorded(f: NativeFunction) -> bool:
    """Whether an operator has a kernel at the Autograd keys: not if it is made of others, or takes no tensors."""
    return bool(f.func.tensor_arguments) and not is_composite(f)
