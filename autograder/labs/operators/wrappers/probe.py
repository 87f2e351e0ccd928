"""Probe of `wrapper_source` (engine/aten/codegen.py): the text is run on an object that notes what it is asked."""

import builtins


def run(engine, schemas, form, runs_impl, precomputed, proxies, with_lines):
    """Return what the generated kernel of one form does.

    Args:
        schemas: of the functional form, of the in-place one ("" if there is none), of the out= one.
        form: 0, 1 or 2: which of them.
        precomputed: items as in native_functions.yaml, "dim -> int wrapped".
        proxies: indices of the outputs that meta gives a proxy.
        with_lines: pass `before` and `after_meta`.
    Returns:
        [the operations on the operator's object, in order ..., ("returned", what)]. An argument is shown by its name,
        a new output as "new 0", a proxy as "proxy 0".
    """
    parse_schema, model = engine.dispatch.schema.parse_schema, engine.aten.model
    functional, inplace, out = (model.NativeFunction(parse_schema(text)) if text else None for text in schemas)
    out = model.NativeFunction(
        out.func, structured=True, precomputed=engine.aten.native_functions.read_precomputed(precomputed)
    )
    group = model.NativeFunctionsGroup(functional, out, inplace)
    chosen = (functional, inplace, out)[form]
    lines = ('    saw("before")\n', '    saw("after meta")\n') if with_lines else ()
    source = engine.aten.codegen.wrapper_source(chosen, group, "wrapper", "structured", runs_impl, *lines)
    trace = []
    values = {new.name: f"precomputed {new.name}" for item in out.precomputed for new in item.declarations}
    made = _made(trace, values, proxies, len(functional.func.returns) if form == 0 else 0)
    scope = {"__builtins__": {"__build_class__": builtins.__build_class__}, "structured": made, "saw": trace.append}
    exec(compile(source, "<generated>", "exec"), scope)
    returned = scope["wrapper"](*(argument.name for argument in chosen.func.arguments))
    return [*trace, ("returned", returned)]


def _made(trace, values, proxies, new_outputs):
    """The class of an operator's object: of the functional form, if there are new outputs."""

    class Structured:
        def __init__(self, *given):
            trace.append(("made of", *given))
            if not new_outputs:
                self.outputs, self.proxy_outputs = list(given), None

        def meta(self, *arguments):
            trace.append(("meta", *arguments))
            if new_outputs:
                self.outputs = [f"new {k}" for k in range(new_outputs)]
            elif proxies:
                self.proxy_outputs = {k: f"proxy {k}" for k in proxies}
            return values or None

        def maybe_get_output(self, index=0):
            return f"proxy {index}" if not new_outputs and index in proxies else self.outputs[index]

        def impl(self, *arguments):
            trace.append(("impl", *arguments))

    def copy_back(self):
        if self.proxy_outputs:
            trace.append("copied back")

    if not new_outputs:
        Structured.copy_back = copy_back
    return Structured
