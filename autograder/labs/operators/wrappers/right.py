"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.codegen.wrapper_source": """
def wrapper_source(f, group, method, cls, runs_impl, before="", after_meta=""):
    given = given_outputs(f.func)
    read = [a for a in f.func.arguments if not a.is_out]
    fills = ["op.maybe_get_output(%d)" % k if given else "op.outputs[%d]" % k for k in range(len(f.func.returns))]

    def values(item):
        return [f"precomputed['{d.name}']" for d in item.declarations]

    passes = []
    for argument in read:
        instead = [item for item in group.out.precomputed if item.replaces == argument.name]
        passes += values(instead[0]) if instead else [parameter(argument)]
    for item in group.out.precomputed:
        if not item.replaces:
            passes += values(item)
    body = [
        "op = " + cls + "(" + ", ".join(given) + ")",
        "precomputed = op.meta(" + names_of(read) + ")",
    ]
    rest = []
    if runs_impl:
        rest.append("op.impl(" + ", ".join(passes + fills) + ")")
    if runs_impl and given:
        rest.append("op.copy_back()")
    rest.append("return " + results_of(f.func, given or fills))
    head = f"def {method}({names_of(f.func.arguments)}):\\n"
    body, rest = ["".join(f"    {line}\\n" for line in lines) for lines in (body, rest)]
    return head + before + body + after_meta + rest
""",
}
