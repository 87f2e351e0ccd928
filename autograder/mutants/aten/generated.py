"""Wrong answers to the exercises about entries, generated kernels and their outputs."""

from autograder.mutants.model import WrongAnswer

ENTRY, WRAPPER, OUTPUTS = (
    "aten.native_functions.parse_entry",
    "aten.codegen.wrapper_source",
    "aten.structured.GivenOutputs",
)


def _parse_entry(loop: str, after: str = "", rules: str = "", location: str = 'places["func"]') -> str:
    """`parse_entry` with another loop over the fields, or other lines after it."""
    after = (
        after
        or """
    if "func" not in values:
        raise ValueError(f"{file}:{fields[0][2]}: no func")"""
    )
    rules = (
        rules
        or """
    for name, is_refused, reason in CHECKS:
        if is_refused(entry):
            raise ValueError(f"{places.get(name, places['func'])}: {reason}")"""
    )
    return f"""
def parse_entry(fields, file):
    values, places = {{}}, {{}}
    for name, value, line in fields:
        place = Location(file, line)
{loop}
{after}
    entry = NativeFunction(**values, written=tuple(values), location={location})
{rules}
    return entry
"""


LOOP = """
        if name not in READERS:
            raise ValueError(f"{place}: unknown field {name}")
        if name in values:
            raise ValueError(f"{place}: {name} is given twice")
        try:
            values[name] = READERS[name](value)
        except (ValueError, RuntimeError) as error:
            raise ValueError(f"{place}: {error}")
        places[name] = place"""
READ = "        try:\n            values[name] = READERS[name](value)"
CATCH = "except (ValueError, RuntimeError) as error"


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
        "replaced": "new.get(a.name, [parameter(a)])",
        "returned": 'results_of(schema, given or [f"op.outputs[{k}]" for k in count])',
        "named": "items and runs_impl",
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
        passed = [name for a in inputs for name in {words["replaced"]}]
        filled = {words["filled"]}
        text += f"    op.impl({{', '.join({words["order"]})}})\\n"
        if {words["back"]}:
            text += "    if op.proxy_outputs:\\n        op.copy_back()\\n"
    return text + "    return " + {words["returned"]} + "\\n"
"""


def _outputs(**changed: str) -> str:
    """`GivenOutputs` in other words, with some methods changed."""
    methods = {
        "raw": """
        output = self.outputs[index]
        if differences(output, output._sizes if self.resizes else sizes, dtype, device):
            raise RuntimeError("the given tensor is another")
        if self.resizes:
            resize_output(output, sizes, strides)""",
        "strided": """
        self.set_output_raw_strided(index, sizes, strides, dtype, device)
        if self.outputs[index]._strides != strides:
            self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))""",
        "proxy": """
        if self.proxy_outputs is None:
            self.proxy_outputs = {}
        self.proxy_outputs[index] = proxy""",
        "get": """
        if self.proxy_outputs and index in self.proxy_outputs:
            return self.proxy_outputs[index]
        return self.outputs[index]""",
        "back": """
        for index in self.proxy_outputs or ():
            at.copy_(self.outputs[index], self.proxy_outputs[index])""",
    } | changed
    return f"""
class GivenOutputs(MetaBase):
    def set_output_raw_strided(self, index, sizes, strides, dtype, device):{methods["raw"]}

    def set_output_strided(self, index, sizes, strides, dtype, device):{methods["strided"]}

    def set_proxy_output(self, index, proxy):{methods["proxy"]}

    def maybe_get_output(self, index=0):{methods["get"]}

    def copy_back(self):{methods["back"]}
"""


WRONG_ANSWERS = (
    WrongAnswer(ENTRY, "unknown fields are read over", ("refusals",), _parse_entry(LOOP.replace(
        'raise ValueError(f"{place}: unknown field {name}")', "continue"))),
    WrongAnswer(ENTRY, "a field that is given twice: the last one counts", ("refusals",), _parse_entry(LOOP.replace(
        'raise ValueError(f"{place}: {name} is given twice")', "pass"))),
    WrongAnswer(ENTRY, "what the schema's parser raises gets through", ("refusals",), _parse_entry(LOOP.replace(
        CATCH, "except ValueError as error"))),
    WrongAnswer(ENTRY, "the place is missing from a reader's message", ("refusals",), _parse_entry(LOOP.replace(
        '        try:\n            values[name] = READERS[name](value)\n'
        '        except (ValueError, RuntimeError) as error:\n            raise ValueError(f"{place}: {error}")',
        "        values[name] = READERS[name](value)"))),
    WrongAnswer(ENTRY, "the values go in as they are", ("ordinary", "refusals"), _parse_entry(LOOP.replace(
        "READERS[name](value)", 'READERS[name](value) if name == "func" else value'))),
    WrongAnswer(ENTRY, "the rules are left out", ("refusals",), _parse_entry(LOOP, rules="    pass")),
    WrongAnswer(ENTRY, "a rule is always blamed on func", ("refusals",), _parse_entry(LOOP, rules="""
    for name, is_refused, reason in CHECKS:
        if is_refused(entry):
            raise ValueError(f"{places['func']}: {reason}")""")),
    WrongAnswer(ENTRY, "the place of an entry is that of its first field", ("ordinary", "refusals"), _parse_entry(
        LOOP, location="Location(file, fields[0][2])")),
    WrongAnswer(ENTRY, "a missing func is found before the fields are read", ("refusals",), """
def parse_entry(fields, file):
    if "func" not in [name for name, _, _ in fields]:
        raise ValueError(f"{file}:{fields[0][2]}: no func")
""" + _parse_entry(LOOP).split("def parse_entry(fields, file):\n")[1]),
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
    WrongAnswer(WRAPPER, "the argument stays, the precomputed values are added", ("precomputed",), _wrapper(
        replaced="[parameter(a), *new.get(a.name, [])]")),
    WrongAnswer(WRAPPER, "the lines behind meta stand before it", ("functional", "given", "precomputed"), _wrapper(
        before="before + after_meta", after='""')),
    WrongAnswer(WRAPPER, "arguments by their names in the schema", ("functional", "given", "precomputed"), _wrapper(
        head='", ".join(a.name for a in schema.arguments)')),
    WrongAnswer(OUTPUTS, "what the proxy holds is not copied back", ("proxy",), _outputs(back="\n        pass")),
    WrongAnswer(OUTPUTS, "one proxy for all outputs", ("proxy",), _outputs(
        proxy="\n        self.proxy_outputs = {index: proxy}")),
    WrongAnswer(OUTPUTS, "in place a tensor is resized as well", ("inplace",), _outputs(raw="""
        output = self.outputs[index]
        if differences(output, output._sizes, dtype, device):
            raise RuntimeError("the given tensor is another")
        resize_output(output, sizes, strides)""")),
    WrongAnswer(OUTPUTS, "out= of other sizes is refused", ("out", "proxy"), _outputs(raw="""
        output = self.outputs[index]
        if differences(output, sizes, dtype, device):
            raise RuntimeError("the given tensor is another")""")),
    WrongAnswer(OUTPUTS, "the dtype is not looked at", ("inplace", "out"), _outputs(raw="""
        output = self.outputs[index]
        if differences(output, output._sizes if self.resizes else sizes, output._dtype, device):
            raise RuntimeError("the given tensor is another")
        if self.resizes:
            resize_output(output, sizes, strides)""")),
    WrongAnswer(OUTPUTS, "a proxy wherever the exact strides are asked for", ("proxy",), _outputs(strided="""
        self.set_output_raw_strided(index, sizes, strides, dtype, device)
        self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))""")),
    WrongAnswer(OUTPUTS, "the strides are compared before the tensor is resized", ("proxy",), _outputs(strided="""
        if self.outputs[index]._strides != strides:
            self.set_proxy_output(index, new_tensor(sizes, strides, dtype, device))
        self.set_output_raw_strided(index, sizes, strides, dtype, device)""")),
    WrongAnswer(OUTPUTS, "the kernel fills the given tensor, proxy or not", ("proxy",), _outputs(
        get="\n        return self.outputs[index]")),
    WrongAnswer(OUTPUTS, "resized to the sizes, with contiguous strides", ("out", "proxy"), _outputs(raw="""
        output = self.outputs[index]
        if differences(output, output._sizes if self.resizes else sizes, dtype, device):
            raise RuntimeError("the given tensor is another")
        if self.resizes:
            resize_output(output, sizes)""")),
)  # fmt: skip
