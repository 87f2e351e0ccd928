"""Probe of `parse_entry` (engine/aten/native_functions.py): what became of an entry, or where it was refused."""

import re

from autograder.examine.raised import message, type_name

PLACE = re.compile(r"([^\n]*?:\d+): ")


def parsed(engine, fields, file):
    """Return what the fields of an entry become.

    Args:
        fields: (name, value, line) of each field.
        file: name of the file.
    Returns:
        {"entry": printed as in the file, "types": types of the written fields, "written", "location"}; or
        ("refused at", "file:line") with the place that a ValueError's message begins with, "" if it begins otherwise.
    """
    try:
        entry = engine.aten.native_functions.parse_entry(fields, file)
    except ValueError as error:
        if type_name(error) != "ValueError":
            raise
        place = PLACE.match(message(error))
        return ("refused at", place[1] if place else "")
    if type(entry) is not engine.aten.model.NativeFunction:
        return ("returned", type(entry).__name__)
    return {
        "entry": str(entry),
        "types": [type(vars(entry)[name]).__name__ for name, _, _ in fields],
        "written": entry.written,
        "location": str(entry.location),
    }
