"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.codegen.impl_arguments": (
        """
def impl_arguments(schema, precomputed):
    passed = []
    for argument in schema.arguments:
        if argument.is_out:
            continue
        for item in precomputed:
            if item.replaces == argument.name:
                passed += [f"precomputed['{new.name}']" for new in item.declarations]
                break
        else:
            passed.append(parameter(argument))
    for item in precomputed:
        if not item.replaces:
            passed += [f"precomputed['{new.name}']" for new in item.declarations]
    return passed
""",
        """
def impl_arguments(schema, precomputed):
    passed = [(argument.name, parameter(argument)) for argument in schema.arguments if not argument.is_out]
    for item in precomputed:
        new = [("", f'precomputed.get("{declared.name}")') for declared in item.declarations]
        names = [name for name, _ in passed]
        if item.replaces:
            at = names.index(item.replaces)
            passed[at : at + 1] = new
        else:
            passed.extend(new)
    return [text for _, text in passed]
""",
        """
from itertools import chain


def impl_arguments(schema, precomputed):
    def values(item):
        return ["precomputed[" + repr(new.name) + "]" for new in item.declarations]

    def expressions(argument):
        return next((values(item) for item in precomputed if item.replaces == argument.name), [parameter(argument)])

    inputs = filter(lambda argument: not argument.is_out, schema.arguments)
    rest = (values(item) for item in precomputed if item.replaces == "")
    return list(chain(*map(expressions, inputs), *rest))
""",
    ),
}
