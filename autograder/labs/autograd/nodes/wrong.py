"""Wrong answers to the exercise about generated nodes."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

NODE_SOURCE = "autograd.gen_autograd_functions.node_source"
EVERYTHING = ("ordinary", "kinds", "freed")
TENSORS = """tensors = [f"node.saved_{name}" for name, kept in saved.items() if kept.kind in ("tensor", "tensors")]"""
FIELDS = """f"    saved_fields = ({''.join(f'{name!r}, ' for name in saved)})","""
LOADED = """*(f"        {name} = {unpacked(kept)}" for name, kept in saved.items()),"""
NAMESPACE = """namespace = [f'    namespace = "{info.namespace}"'] if info.namespace else []"""
RELEASE = """lines += ["", "    def release_variables(node):", f"        {' = '.join(tensors)} = FREED_VARIABLE"]"""

WRONG_ANSWERS = (
    WrongAnswer(NODE_SOURCE, "no slots for what is saved", EVERYTHING, (
        """slots = "".join(f'"saved_{name}", ' for name in saved)""", """slots = \"\"""",
    )),
    WrongAnswer(NODE_SOURCE, "fields with their prefix", EVERYTHING, (
        FIELDS, """f"    saved_fields = ({slots})",""",
    )),
    WrongAnswer(NODE_SOURCE, "one name in parentheses is no tuple", EVERYTHING, (
        FIELDS, """f"    saved_fields = ({', '.join(map(repr, saved))})",""",
    )),
    WrongAnswer(NODE_SOURCE, "only the first formula saves", EVERYTHING, (
        "saved = all_saved(formulas)", "saved = all_saved(formulas[:1])",
    )),
    WrongAnswer(NODE_SOURCE, "no early return, and no grad", EVERYTHING, ("*grad_lines(formulas),", "*(),")),
    WrongAnswer(NODE_SOURCE, "reads what was saved before the early return", EVERYTHING, (
        """
*grad_lines(formulas),
*(f"        {name} = {unpacked(kept)}" for name, kept in saved.items()),
""",
        """
*(f"        {name} = {unpacked(kept)}" for name, kept in saved.items()),
*grad_lines(formulas),
""",
    )),
    WrongAnswer(NODE_SOURCE, "reads nothing of what was saved", EVERYTHING, (LOADED, "*(),")),
    WrongAnswer(NODE_SOURCE, "keeps what was saved packed", EVERYTHING, (
        LOADED, """*(f"        {name} = node.saved_{name}" for name in saved),""",
    )),
    WrongAnswer(NODE_SOURCE, "named by the operator", EVERYTHING, (
        """f"class {info.node}(Node):",""", """f"class {info.text.partition('(')[0].title()}Backward(Node):",""",
    )),
    WrongAnswer(NODE_SOURCE, "a method also where nothing is to be freed", EVERYTHING, ("if tensors:", "if True:")),
    WrongAnswer(NODE_SOURCE, "prints instead of returning", EVERYTHING, (
        """return "\\n".join(lines) + "\\n\"""", """print("\\n".join(lines))""",
    )),
    WrongAnswer(NODE_SOURCE, "every saved value is a tensor", ("kinds",), (
        LOADED, """*(f"        {name} = node.saved_{name} and node.saved_{name}.unpack(node)" for name in saved),""",
    )),
    WrongAnswer(NODE_SOURCE, "lists are not unpacked", ("kinds",), (
        LOADED,
        """
*(f"        {name} = {unpacked(kept) if kept.kind != 'tensors' else 'node.saved_' + name}"
for name, kept in saved.items()),
""",
    )),
    WrongAnswer(NODE_SOURCE, "no namespace", ("kinds",), (
        NAMESPACE, "namespace = []",
    )),
    WrongAnswer(NODE_SOURCE, "nothing is freed", ("freed",), (RELEASE, "pass")),
    WrongAnswer(NODE_SOURCE, "plain values are freed, too", ("freed",), (
        TENSORS, """tensors = [f"node.saved_{name}" for name in saved]""",
    )),
    WrongAnswer(NODE_SOURCE, "lists of tensors are not freed", ("freed",), (
        TENSORS, """tensors = [f"node.saved_{name}" for name, kept in saved.items() if kept.kind == "tensor"]""",
    )),
    WrongAnswer(NODE_SOURCE, "None instead of FREED_VARIABLE", ("freed",), (
        RELEASE, RELEASE.replace("FREED_VARIABLE", "None"),
    )),
    WrongAnswer(NODE_SOURCE, "only the first tensor is freed", ("freed",), (
        RELEASE, RELEASE.replace("' = '.join(tensors)", "tensors[0]"),
    )),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        NODE_SOURCE,
        NAMESPACE,
        NAMESPACE.removesuffix(" if info.namespace else []"),
        "an empty namespace is what Node has",
    ),
)
