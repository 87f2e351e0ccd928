"""Wrong answers to aten.codegen.impl_arguments."""

from autograder.made_up.wrong_answer import WrongAnswer

IMPL_ARGUMENTS = "aten.codegen.impl_arguments"
ALL, PRECOMPUTED = ("ordinary", "precomputed"), ("precomputed",)


def _arguments(**changed: str) -> str:
    """`impl_arguments` in other words, with some of them changed."""
    words = {
        "expression": "f'precomputed[\"{new.name}\"]'",
        "new": "item.declarations",
        "inputs": "[a for a in schema.arguments if not a.is_out]",
        "own": "parameter(argument)",
        "result": "[*passed, *values.get('', [])]",
    } | changed
    found = words.get("found", f"values.get(argument.name, [{words['own']}])")
    return f"""
def impl_arguments(schema, precomputed):
    values = {{item.replaces: [{words["expression"]} for new in {words["new"]}] for item in precomputed}}
    passed = [text for argument in {words["inputs"]} for text in {found}]
    return {words["result"]}
"""


WRONG_ANSWERS = (
    WrongAnswer(IMPL_ARGUMENTS, "the outputs of out= are passed as well", ALL, _arguments(inputs="schema.arguments")),
    WrongAnswer(IMPL_ARGUMENTS, "by their names in the schema", ALL, _arguments(own="argument.name")),
    WrongAnswer(
        IMPL_ARGUMENTS,
        "the values follow the argument",
        PRECOMPUTED,
        _arguments(found="[parameter(argument), *values.get(argument.name, [])]"),
    ),
    WrongAnswer(
        IMPL_ARGUMENTS,
        "looked up by the variable, from_ for from",
        PRECOMPUTED,
        _arguments(found="values.get(parameter(argument), [parameter(argument)])"),
    ),
    WrongAnswer(IMPL_ARGUMENTS, "one value for each item", PRECOMPUTED, _arguments(new="item.declarations[:1]")),
    WrongAnswer(
        IMPL_ARGUMENTS,
        "values that replace nothing come first",
        PRECOMPUTED,
        _arguments(result="[*values.get('', []), *passed]"),
    ),
    WrongAnswer(IMPL_ARGUMENTS, "values that replace nothing are forgotten", PRECOMPUTED, _arguments(result="passed")),
    WrongAnswer(
        IMPL_ARGUMENTS, "the dict is called values", PRECOMPUTED, _arguments(expression="f'values[\"{new.name}\"]'")
    ),
    WrongAnswer(
        IMPL_ARGUMENTS, "the key is not quoted", PRECOMPUTED, _arguments(expression="f'precomputed[{new.name}]'")
    ),
    WrongAnswer(IMPL_ARGUMENTS, "a tuple", ALL, _arguments(result="(*passed, *values.get('', []))")),
    WrongAnswer(IMPL_ARGUMENTS, "self is left out", ALL, _arguments(inputs="schema.arguments[1:]")),
)
