"""Right answers written in another way than the engine's."""

NODE_SOURCE = "autograd.gen_autograd_functions.node_source"

RIGHT_ANSWERS = {
    NODE_SOURCE: (
        """
def node_source(info):
    formulas = formulas_of(info)
    saved = all_saved(formulas)
    text = f"class {info.node}(Node):\\n"
    text += f"    __slots__ = {['saved_' + name for name in saved]}\\n"
    text += f"    saved_fields = {tuple(saved)}\\n"
    if info.namespace:
        text += f"    namespace = {info.namespace!r}\\n"
    text += "    def apply(node, grads, needs):\\n"
    for line in grad_lines(formulas):
        text += line + "\\n"
    for kept in saved.values():
        text += f"        {kept.name} = {unpacked(kept)}\\n"
    for line in formula_lines(info, formulas):
        text += line + "\\n"
    held = [name for name, kept in saved.items() if kept.kind in ("tensor", "tensors")]
    if held:
        text += "    def release_variables(node):\\n"
        for name in held:
            text += f"        node.saved_{name} = FREED_VARIABLE\\n"
    return text
""",
        """
def node_source(info):
    formulas = formulas_of(info)
    saved = all_saved(formulas)

    def body():
        yield f"__slots__ = {tuple(f'saved_{name}' for name in saved)!r}"
        yield f"saved_fields = {tuple(saved)!r}"
        yield f"namespace = {info.namespace!r}"
        yield "def apply(node, grads, needs):"
        yield from (line[4:] for line in grad_lines(formulas))
        yield from (f"    {name} = {unpacked(kept)}" for name, kept in saved.items())
        yield from (line[4:] for line in formula_lines(info, formulas))
        tensors = [f"saved_{name}" for name, kept in saved.items() if kept.kind != "value"]
        if tensors:
            yield "def release_variables(node):"
            yield f"    for field in {tensors}:"
            yield "        setattr(node, field, FREED_VARIABLE)"

    return f"class {info.node}(Node):\\n" + "".join(f"    {line}\\n" for line in body())
""",
        """
def node_source(info):
    formulas = formulas_of(info)
    saved = all_saved(formulas)
    names = " ".join("saved_" + name for name in saved)
    freed = [one for one in saved.values() if one.kind != "value"]
    apply = [*grad_lines(formulas)]
    for name in saved:
        apply.append(" " * 8 + name + " = " + unpacked(saved[name]))
    apply.extend(formula_lines(info, formulas))
    head = [
        "class " + info.node + "(Node):",
        f"    __slots__ = {names!r}.split()",
        "    saved_fields = tuple(name[6:] for name in __slots__)",
    ]
    if info.namespace != "":
        head.append("    namespace = " + repr(info.namespace))
    release = ["    def release_variables(self):"]
    release += [f"        self.saved_{one.name} = FREED_VARIABLE" for one in freed]
    return "\\n".join(head + ["    def apply(node, grads, needs):"] + apply + (release if freed else []))
""",
    ),
}
"""Name of the exercise -> an answer."""
