"""Probe of `impl_arguments` (engine/aten/codegen.py): its expressions are evaluated, so their spelling is free."""


def run(engine, schema, items):
    """Evaluate the expressions that `impl_arguments` returns for a schema and its precomputed items; return the values.

    A variable is shown by its name, a value of the dict as "precomputed wrapped"; an expression that can't be
    evaluated as ("stops", it). Anything but a list of texts is shown as ("no list", type name).
    """
    func = engine.dispatch.schema.parse_schema(schema)
    precomputed = engine.aten.native_functions.read_precomputed(items)
    made = engine.aten.codegen.impl_arguments(func, precomputed)
    if type(made) is not list or not all(type(text) is str for text in made):
        return ("no list", type(made).__name__)
    scope = {name: name for argument in func.arguments for name in (argument.name, f"{argument.name}_")}
    scope["precomputed"] = {new.name: f"precomputed {new.name}" for item in precomputed for new in item.declarations}
    return [_value(text, scope) for text in made]


def _value(text, scope):
    try:
        return eval(text, {"__builtins__": {}, **scope})
    except Exception:
        return ("stops", text)
