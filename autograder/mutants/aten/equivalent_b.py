"""Mutants of the second half of lab 3 that are not mistakes."""

from autograder.mutants.model import Equivalent

EQUIVALENT = (
    Equivalent(
        "aten.codegen.wrapper_source",
        r"lines.append(f'    return {results_of(schema, given or new)}\n')",
        r"lines.append(f'    return {results_of(schema, new)}\n')",
        "op.outputs are the given tensors themselves",
    ),
    Equivalent(
        "aten.native.layer_norm.rms_norm_composite",
        "result = at.mul_Tensor(result, factor)",
        "result = at.mul_Tensor(factor, result)",
        "a product is the same the other way round",
    ),
    Equivalent(
        "aten.python_arg_parser.match",
        "if parameter.default is ABSENT:",
        "if parameter.default == ABSENT:",
        "a default is None, a number, a tuple, a dtype: equal to ABSENT only if it is ABSENT",
    ),
)
