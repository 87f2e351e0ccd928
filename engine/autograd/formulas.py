"""The formulas of an entry of derivatives.yaml, taken apart: what they use, and what must be kept for them.

`self.cos()` in a formula keeps the tensor, `self.shape` only its sizes.
Mirrors saved_variables of tools/autograd/load_derivatives.py.
"""

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass

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
WITH_NUMBERS = {ast.Mult: "mul_Scalar", ast.Div: "div_Scalar", ast.Add: "add_Scalar", ast.Sub: "sub_Scalar"}
OF_LISTS = {"sizes_of": "sizes", "dtypes_of": "scalar_types"}


@dataclass(frozen=True)
class Saved:
    """A value that a node saves in the forward pass.

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


class _Names(ast.NodeTransformer):
    """Replaces what a formula asks of tensors by names, and notes what is to be saved.

    A tensor and a number are combined by the operator that C++ calls there, such as mul.Scalar; in Python `grad * 2` is
    mul.Tensor.
    """

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

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        tensor, number = node.left, node.right
        if self._is_number(tensor) and isinstance(node.op, (ast.Mult, ast.Add)):
            tensor, number = number, tensor
        if type(node.op) not in WITH_NUMBERS or not self._is_number(number) or self._is_number(tensor):
            return node
        called = ast.Attribute(ast.Name("at", ast.Load()), WITH_NUMBERS[type(node.op)], ast.Load())
        return ast.Call(called, [tensor, number], [])

    def _is_number(self, node: ast.AST) -> bool:
        match node:
            case ast.Constant() | ast.Call(func=ast.Attribute(value=ast.Name(id="math"))):
                return True
            case ast.Name(id=name):
                return name in self.saved and self.saved[name].kind == "value"
            case ast.UnaryOp(operand=operand) | ast.Subscript(value=operand):
                return self._is_number(operand)
            case ast.BinOp(left=left, right=right):
                return self._is_number(left) and self._is_number(right)
        return False

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
    """A parsed line of an entry: an expression, the values that it saves, and the names of gradients that it uses."""

    names: tuple[str, ...]
    expression: str
    saved: tuple[Saved, ...]
    used: frozenset[str]


def results_of(schema: FunctionSchema) -> list[str]:
    """Return the names by which formulas refer to the outputs of an operator."""
    if len(schema.returns) == 1:
        return [schema.returns[0].name or "result"]
    return [returned.name or f"result{number}" for number, returned in enumerate(schema.returns)]


def formulas_of(info: DifferentiabilityInfo) -> list[Formula]:
    """Return the parsed formulas of an entry.

    Raises:
        ValueError: one is not an expression, or names an argument that the operator does not have; with file and line.
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
    """Return the arguments that have a gradient formula, in the order of the node's edges."""
    return [argument for argument in info.func.tensor_arguments if argument.name in info.formulas]


def all_saved(formulas: Sequence[Formula]) -> dict[str, Saved]:
    """Return all values that the formulas of an entry save, keyed by name."""
    return {saved.name: saved for formula in formulas for saved in formula.saved}


def positions_of(targets: Sequence[Argument]) -> dict[str, str]:
    """Map each argument to the index or slice of its edges in the node: "0", "-1", or "1:-2" for a list of tensors."""
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
