"""Wrong answers to aten.native_functions.parse_entry."""

from autograder.made_up.wrong_answer import WrongAnswer

ENTRY = "aten.native_functions.parse_entry"


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
CATCH = "except (ValueError, RuntimeError) as error"

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
    WrongAnswer(ENTRY, "the rules are left out", ("refusals",), (
        """
values: dict[str, Any] = {}
places: dict[str, Location] = {}
""",
        "values, places = {}, {}",
        """
function = NativeFunction(**values, written=tuple(values), location=places["func"])
for name, is_refused, reason in CHECKS:
    if is_refused(function):
        raise ValueError(f"{places.get(name, places['func'])}: {function.name}: {reason}")
return function
""",
        """
entry = NativeFunction(**values, written=tuple(values), location=places["func"])
pass
return entry
""",
    )),
    WrongAnswer(ENTRY, "a rule is always blamed on func", ("refusals",), _parse_entry(LOOP, rules="""
    for name, is_refused, reason in CHECKS:
        if is_refused(entry):
            raise ValueError(f"{places['func']}: {reason}")""")),
    WrongAnswer(ENTRY, "a rule about a field that is missing is blamed on the first one", ("refusals",), (
        """
raise ValueError(f"{places.get(name, places['func'])}: {function.name}: {reason}")
""",
        """
raise ValueError(f"{places.get(name, Location(file, fields[0][2]))}: {reason}")
""",
    )),
    WrongAnswer(ENTRY, "the place of an entry is that of its first field", ("ordinary", "refusals"), _parse_entry(
        LOOP, location="Location(file, fields[0][2])")),
    WrongAnswer(ENTRY, "a missing func is found before the fields are read", ("refusals",), """
def parse_entry(fields, file):
    if "func" not in [name for name, _, _ in fields]:
        raise ValueError(f"{file}:{fields[0][2]}: no func")
""" + _parse_entry(LOOP).split("def parse_entry(fields, file):\n")[1]),
    WrongAnswer(ENTRY, "every error of a reader is caught", ("refusals",),
        ("except (ValueError, RuntimeError) as error:", "except Exception as error:"),
    ),
    WrongAnswer(ENTRY, "every error of a reader is caught, KeyboardInterrupt as well", ("refusals",),
        ("except (ValueError, RuntimeError) as error:", "except BaseException as error:"),
    ),
    WrongAnswer(ENTRY, "the last row of CHECKS that applies counts", ("refusals",),
        ("for name, is_refused, reason in CHECKS:", "for name, is_refused, reason in reversed(CHECKS):"),
    ),
    WrongAnswer(ENTRY, "the fields are taken out of the caller's list", ("ordinary", "refusals"), (
        "for name, value, line in fields:",
        """
start = fields[0][2]
while fields:
    name, value, line = fields.pop(0)
""",
        """
if "func" not in values:
    raise ValueError(f"{file}:{fields[0][2]}: the entry has no func")
""",
        """
if "func" not in values:
    raise ValueError(f"{file}:{start}: the entry has no func")
""",
    )),
    WrongAnswer(ENTRY, "`written` is a list", ("ordinary", "refusals"), (
        """
function = NativeFunction(**values, written=tuple(values), location=places["func"])
""",
        """
function = NativeFunction(**values, written=list(values), location=places["func"])
""",
    )),
    WrongAnswer(ENTRY, "the location is text", ("ordinary", "refusals"), (
        """
function = NativeFunction(**values, written=tuple(values), location=places["func"])
""",
        """
function = NativeFunction(**values, written=tuple(values), location=str(places["func"]))
""",
    )),
)  # fmt: skip
