"""Probe of `wrapper_source` (engine/aten/codegen.py): the text is run on an object that notes what it is asked."""

import builtins

from autograder.examine import error_data


def run(engine, schemas, form, runs_impl, precomputed, proxies, with_lines):
    """Run the generated kernel of one form and return its operations on the operator's object.

    Args:
        schemas: of the functional form, of the in-place one ("" if there is none), of the out= one.
        form: 0, 1 or 2: which of them.
        precomputed: items as in native_functions.yaml, "dim -> int wrapped".
        proxies: indices of the outputs that meta gives a proxy.
        with_lines: pass `before` and `after_meta`, which reads `precomputed` if there are items.
    Returns:
        [the operations on the operator's object, in order ..., ("returned", what)]. An argument is shown by its name,
        a new output as "new 0", a proxy as "proxy 0". A text that does not compile or stops ends the list, with the
        error.
    """
    parse_schema, model = engine.dispatch.schema.parse_schema, engine.aten.model
    functional, inplace, out = (model.NativeFunction(parse_schema(text)) if text else None for text in schemas)
    out = model.NativeFunction(
        out.func, structured=True, precomputed=engine.aten.native_functions.read_precomputed(precomputed)
    )
    group = model.NativeFunctionsGroup(functional, out, inplace)
    chosen = (functional, inplace, out)[form]
    after = '("after meta", precomputed)' if precomputed else '"after meta"'
    lines = ('    saw("before")\n', f"    saw({after})\n") if with_lines else ()
    name = str(chosen.func.name).replace(".", "_")
    method, cls = f"wrapper_CPU_{name}", f"structured_{name}"
    source = engine.aten.codegen.wrapper_source(chosen, group, method, cls, runs_impl, *lines)
    if type(source) is not str:
        return ("no text", type(source).__name__)
    trace = []
    values = {new.name: f"precomputed {new.name}" for item in out.precomputed for new in item.declarations}
    made = _made(trace, values, proxies, len(functional.func.returns) if form == 0 else 0)
    scope = {"__builtins__": {"__build_class__": builtins.__build_class__}, cls: made, "saw": trace.append}
    seen = _ran(source, scope, method, [argument.name for argument in chosen.func.arguments], trace)
    error_data.leave(source)
    return seen


def _ran(source, scope, method, arguments, trace):
    """Return what the text of a function does when it is called, up to the error that ends it."""
    try:
        code = compile(source, "<generated>", "exec")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        return [("does not compile", f"{type(error).__name__}: {getattr(error, 'msg', error)}", f"line {line}")]
    try:
        exec(code, scope)
        if method not in scope:
            return [("no function", method)]
        returned = scope[method](*arguments)
        return [*trace, ("returned", returned)]
    except Exception as error:
        return [*trace, ("stops", f"{type(error).__name__}: {error_data.message(error)}")]


def _made(trace, values, proxies, new_outputs):
    """Make the class of an operator's object: of the functional form, if there are new outputs."""

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
