"""Reads derivatives.yaml: for each operator the formulas of its gradients, and the name of its node.

    - name: max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
      self: value_selecting_reduction_backward(grad, dim, indices, self.shape, keepdim)
      output_differentiability: [True, False]

A formula is an expression of Python. It may name the operator's arguments; `grad`, the gradient of the output, or
`grads[i]` where several outputs have one; the outputs, as `result`, `result0`, or by their own names; the functions of
`functions_manual/`; `at`; and in the formula of several arguments, `a, b: f(...)`, `grad_input_mask`, which says which
of them are asked for. What `X.shape`, `X.dtype`, `X.dim()` ask of a tensor is kept in the tensor's place.
Mirrors tools/autograd/load_derivatives.py.
"""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..aten.native_functions import Loader, _place, plain
from ..dispatch.function_schema import FunctionSchema
from ..dispatch.schema import parse_schema

PATH = Path(__file__).with_suffix(".yaml")
NON_DIFFERENTIABLE = "non_differentiable"
FIELDS = ("name", "node", "output_differentiability")
CONSTANTS = {"True": True, "true": True, "False": False, "false": False}


@dataclass(frozen=True)
class Derivative:
    """A line of an entry in derivatives.yaml: some arguments of an operator, and the formula of their gradients."""

    names: tuple[str, ...]
    formula: str


@dataclass(frozen=True)
class DifferentiabilityInfo:
    """An entry of derivatives.yaml: an operator and the formulas of its gradients.

    Args:
        text: the schema, as written.
        node: name of the node's class; "" if nothing is differentiable.
        derivatives: in the order of the entry.
        non_differentiable: arguments that are tensors without a gradient.
        output_differentiability: for each output; empty: all are, or the first if formulas name `grad` and not `grads`.
        namespace: the text before the node's name where PyTorch has written the node by hand.
        location: "derivatives.yaml:12".
        condition: an expression of the arguments that holds if the output is differentiable; "": it always is.
    """

    text: str
    node: str
    derivatives: tuple[Derivative, ...]
    non_differentiable: frozenset[str] = frozenset()
    output_differentiability: tuple[bool, ...] = ()
    namespace: str = ""
    location: str = field(default="", compare=False)
    condition: str = ""

    @functools.cached_property
    def func(self) -> FunctionSchema:
        """The parsed schema of the entry."""
        return parse_schema(self.text)

    @functools.cached_property
    def formulas(self) -> Mapping[str, Derivative]:
        """A dict that maps each argument to the line of the entry that computes its gradient."""
        return {name: derivative for derivative in self.derivatives for name in derivative.names}


def load(path: Path = PATH) -> dict[str, DifferentiabilityInfo]:
    """Load the entries of a file as a dict, keyed by operator name, such as "mul.Tensor".

    Raises:
        ValueError: as `parse`.
    """
    return parse(path.read_text(encoding="utf-8"), path.name)


def parse(text: str, file: str = "<string>") -> dict[str, DifferentiabilityInfo]:
    """Parse the entries of a text in the format of derivatives.yaml.

    Raises:
        ValueError: an entry has no name, or one twice; the message begins with "file:line: ".
    """
    infos: dict[str, DifferentiabilityInfo] = {}
    numbers: dict[str, int] = {}
    root = yaml.compose(text, Loader)
    for node in root.value if root is not None else ():
        place = str(_place(file, node))
        entry = {str(key.value): plain(value) for key, value in node.value}
        if "name" not in entry:
            raise ValueError(f"{place}: the entry has no name")
        operator = entry["name"].partition("(")[0]
        if operator in infos:
            raise ValueError(f"{place}: {operator} has an entry already, at {infos[operator].location}")
        infos[operator] = _info(operator, entry, numbers, place)
    return infos


def _info(operator: str, entry: dict[str, Any], numbers: dict[str, int], place: str) -> DifferentiabilityInfo:
    lines = dict(_lines(entry))
    given = [CONSTANTS.get(str(value), value) for value in entry.get("output_differentiability", ())]
    outputs = tuple(value is not False for value in given)
    derivatives = tuple(Derivative(names, formula) for names, formula in lines.items() if formula != NON_DIFFERENTIABLE)
    node = namespace = ""
    if derivatives and (any(outputs) or not outputs):
        name = node_name(operator)
        number = numbers.get(name, 0)
        numbers[name] = number + 1
        node = entry.get("node") or f"{name}{number}"
        namespace, _, node = node.rpartition("::")
    return DifferentiabilityInfo(
        entry["name"],
        node,
        derivatives if node else (),
        frozenset(name for names, formula in lines.items() if formula == NON_DIFFERENTIABLE for name in names),
        outputs,
        f"{namespace}::" if namespace else "",
        place,
        next((value for value in given if isinstance(value, str)), ""),
    )


def _lines(entry: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    for key, formula in entry.items():
        if key not in FIELDS:
            yield tuple(name.strip() for name in key.split(",")), str(formula)


def node_name(operator: str) -> str:
    """Return a node's name without its number: `nll_loss2d_forward` -> `NllLoss2DBackward`; in-place variants share it.

    Source: _create_op_prefix (tools/autograd/load_derivatives.py).
    """
    base = operator.partition(".")[0].removesuffix("_")
    name = "".join(part.title() for part in base.split("_")) + "Backward"
    return name.replace("ForwardBackward", "Backward")
