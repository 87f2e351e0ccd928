"""Wrong answers to aten.codegen.wrapper_source."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

WRAPPER = "aten.codegen.wrapper_source"


def _wrapper(**changed: str) -> str:
    """`wrapper_source` in other words, with some of them changed."""
    words = {
        "head": 'names_of(schema.arguments)',
        "made": "given",
        "inputs": "[a for a in schema.arguments if not a.is_out]",
        "meta": "names_of(inputs)",
        "filled": '[f"op.maybe_get_output({k})" for k in count]',
        "back": "given",
        "order": "passed + more + filled",
        "returned": 'results_of(schema, given or [f"op.outputs[{k}]" for k in count])',
        "named": "items",
        "before": "before",
        "after": "after_meta",
        "runs": "runs_impl",
    } | changed  # fmt: skip
    return f"""
def wrapper_source(f, group, method, cls, runs_impl, before="", after_meta=""):
    schema, given = f.func, given_outputs(f.func)
    inputs, count = {words["inputs"]}, range(len(schema.returns))
    items = group.out.precomputed
    new = {{i.replaces: ['precomputed["' + d.name + '"]' for d in i.declarations] for i in items}}
    more = new.pop("", [])
    text = "def " + method + "(" + {words["head"]} + "):\\n" + {words["before"]}
    text += f"    op = {{cls}}({{', '.join({words["made"]})}})\\n"
    text += "    " + ("precomputed = " if {words["named"]} else "") + f"op.meta({{{words["meta"]}}})\\n"
    text += {words["after"]}
    if {words["runs"]}:
        passed = [name for a in inputs for name in new.get(a.name, [parameter(a)])]
        filled = {words["filled"]}
        text += f"    op.impl({{', '.join({words["order"]})}})\\n"
        if {words["back"]}:
            text += "    if op.proxy_outputs:\\n        op.copy_back()\\n"
    return text + "    return " + {words["returned"]} + "\\n"
"""


WRONG_ANSWERS = (
    WrongAnswer(WRAPPER, "a form in place is made like a functional one", ("given", "precomputed"), _wrapper(
        made="[a.name for a in schema.out]",
        back="schema.out")),
    WrongAnswer(WRAPPER, "impl fills the given tensor, whatever meta said", ("given", "precomputed"), _wrapper(
        filled='given or [f"op.outputs[{k}]" for k in count]')),
    WrongAnswer(WRAPPER, "what a proxy holds is never copied back", ("given", "precomputed"), _wrapper(back="False")),
    WrongAnswer(WRAPPER, "what is returned is what the kernel filled", ("given", "precomputed"), _wrapper(
        returned='results_of(schema, [f"op.maybe_get_output({k})" for k in count])')),
    WrongAnswer(WRAPPER, "meta is given the outputs as well", ("given", "precomputed"), _wrapper(
        meta="names_of(schema.arguments)")),
    WrongAnswer(WRAPPER, "without memory impl runs as well", ("functional", "given", "precomputed"), _wrapper(
        runs="True")),
    WrongAnswer(WRAPPER, "one output only", ("functional", "given", "precomputed"), _wrapper(
        filled='["op.maybe_get_output(0)"]')),
    WrongAnswer(WRAPPER, "precomputed values follow behind the outputs", ("precomputed",), _wrapper(
        order="passed + filled + more")),
    WrongAnswer(WRAPPER, "what meta returns is not kept", ("precomputed",), _wrapper(named="False")),
    WrongAnswer(WRAPPER, "what meta returns is kept for impl only", ("precomputed",), _wrapper(
        named="items and runs_impl")),
    WrongAnswer(WRAPPER, "impl takes the arguments of meta, whatever is precomputed", ("precomputed",), (
        "passed = impl_arguments(schema, group.out.precomputed)",
        "passed = [parameter(argument) for argument in inputs]",
    )),
    WrongAnswer(WRAPPER, "the lines behind meta stand before it", ("functional", "given", "precomputed"), _wrapper(
        before="before + after_meta", after='""')),
    WrongAnswer(WRAPPER, "arguments by their names in the schema", ("functional", "given", "precomputed"), _wrapper(
        head='", ".join(a.name for a in schema.arguments)')),
    WrongAnswer(WRAPPER, "the class is always called structured", ("functional", "given", "precomputed"), (
        """
f"    op = {cls}({', '.join(given)})\\n",
""",
        """
f"    op = structured({', '.join(given)})\\n",
""",
    )),
    WrongAnswer(WRAPPER, "a variable `output` overwrites an argument", ("functional", "given", "precomputed"), (
        "new = [f\"op.outputs[{k}]\" for k in range(len(schema.returns))]",
        """
new = [f"op.outputs[{k}]" for k in range(len(schema.returns))]
lines.append("    output = op.outputs\\n")
""",
    )),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        "aten.codegen.wrapper_source",
        r"lines.append(f'    return {results_of(schema, given or new)}\n')",
        r"lines.append(f'    return {results_of(schema, new)}\n')",
        "op.outputs are the given tensors themselves",
    ),
    Equivalent(
        "aten.codegen.wrapper_source",
        "keeps = 'precomputed = ' if group.out.precomputed else ''",
        "keeps = 'precomputed = '",
        "a variable that nothing reads changes nothing",
    ),
)  # fmt: skip
