"""From an entry of derivatives.yaml to the source of its node: slots for what is saved, and the formulas.

    class MulBackward0(Node):
        def apply(node, grads, needs): ...

Mirrors tools/autograd/gen_autograd_functions.py.
"""

from collections.abc import Sequence

from .derivatives import DifferentiabilityInfo
from .formulas import Formula, Saved, all_saved, formulas_of, positions_of, targets_of


def node_source(info: DifferentiabilityInfo) -> str:
    """Return the source code of the node class of an entry.

    Args:
        info: the entry. `info.node` is the name of the class, `info.namespace` the text before it in PyTorch, or "".
    Returns:
        Text that defines one subclass of `Node`, at the left margin, with

        - `__slots__`: "saved_" and the name, for each value that the formulas save, and nothing else;
        - `saved_fields`: the names alone, as a tuple of strings in the order of `all_saved`;
        - `namespace`: `info.namespace`; may be left out if that is empty;
        - `apply(node, grads, needs)`: one gradient for each differentiable argument, as `formula_lines` computes them;
          a formula finds `grad` or `grads`, and each saved value under its name;
        - `release_variables(node)`: sets what holds tensors to FREED_VARIABLE, and leaves plain values as they are.
          Without saved tensors the class does not define it.

        The text may use all names of `engine.autograd.registration.IN_SCOPE`.
    Raises:
        ValueError: as `formulas_of`.

    Source: process_function (tools/autograd/gen_autograd_functions.py).
    """
    formulas = formulas_of(info)
    saved = all_saved(formulas)
    slots = "".join(f'"saved_{name}", ' for name in saved)
    tensors = [f"node.saved_{name}" for name, kept in saved.items() if kept.kind in ("tensor", "tensors")]
    namespace = [f'    namespace = "{info.namespace}"'] if info.namespace else []
    lines = [
        f"class {info.node}(Node):",
        f'    """Backward of {info.text}"""',
        f"    __slots__ = ({slots})",
        f"    saved_fields = ({''.join(f'{name!r}, ' for name in saved)})",
        *namespace,
        "",
        "    def apply(node, grads, needs):",
        *grad_lines(formulas),
        *(f"        {name} = {unpacked(kept)}" for name, kept in saved.items()),
        *formula_lines(info, formulas),
    ]
    if tensors:
        lines += ["", "    def release_variables(node):", f"        {' = '.join(tensors)} = FREED_VARIABLE"]
    return "\n".join(lines) + "\n"


def grad_lines(formulas: Sequence[Formula]) -> list[str]:
    """Return the source of the start of `apply`: it reads `grad`, and returns early if no gradient came."""
    used = frozenset().union(*(formula.used for formula in formulas))
    nothing = "            return (None,) * len(needs)"
    if "grads" in used:
        lines = ["        if not any(grad is not None for grad in grads):", nothing]
        return [*lines, "        grad = grads[0]"] if "grad" in used else lines
    return ["        grad = grads[0]", "        if grad is None:", nothing]


def unpacked(saved: Saved) -> str:
    """Return the expression by which `apply` unpacks a saved value: a tensor, a list of tensors, or a plain value."""
    field = f"node.saved_{saved.name}"
    if saved.kind == "value":
        return field
    return f"unpack_list({field}, node)" if saved.kind == "tensors" else f"{field} and {field}.unpack(node)"


def formula_lines(info: DifferentiabilityInfo, formulas: Sequence[Formula]) -> list[str]:
    """Return the source of the end of `apply`: each formula, evaluated if its gradient is needed, and `return`."""
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
