"""From an entry of derivatives.yaml to the source of its node: slots for what is saved, and the formulas.

    class MulBackward0(Node):
        def apply(node, grads, needs): ...

Mirrors tools/autograd/gen_autograd_functions.py.
"""

from collections.abc import Sequence

from .derivatives import DifferentiabilityInfo
from .formulas import Formula, Saved, all_saved, formulas_of, positions_of, targets_of


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


def _asked(position: str) -> str:
    return f"needs[{position}]"
