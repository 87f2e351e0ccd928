"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "aten.native_functions.parse_entry": """
def parse_entry(fields, file):
    entry = {}
    for number, (name, value, line) in enumerate(fields):
        if name not in READERS or name in entry:
            raise ValueError(f"{file}:{line}: {name} is unknown, or given a second time")
        read, problem = _try(READERS[name], value)
        if problem:
            raise ValueError(f"{file}:{line}: {problem}")
        entry[name] = read
    line_of = {name: line for name, _, line in fields}
    if "func" not in line_of:
        raise ValueError("%s:%d: where is func?" % (file, fields[0][2]))
    location = Location(file, line_of["func"])
    made = NativeFunction(written=tuple(name for name, _, _ in fields), location=location, **entry)
    broken = [(name, reason) for name, is_refused, reason in CHECKS if is_refused(made)]
    if broken:
        raise ValueError(f"{file}:{line_of.get(broken[0][0], location.line)}: {broken[0][1]}")
    return made


def _try(reader, value):
    try:
        return reader(value), ""
    except ValueError as error:
        return None, f"can't be read: {error}"
    except RuntimeError as error:
        return None, f"can't be read: {error}"
""",
}
