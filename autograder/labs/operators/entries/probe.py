"""Probe of `parse_entry` (engine/aten/native_functions.py): what became of an entry, or where it was refused."""

import copy
import re

from autograder.examine.error_data import message, type_name

PLACE = re.compile(r"([^\n]*?:\d+): ")
ERRORS = {
    kind.__name__: kind
    for kind in (ValueError, RuntimeError, KeyError, TypeError, AttributeError, ZeroDivisionError, KeyboardInterrupt)
}


def parsed(engine, fields, file, fault=""):
    """Call `parse_entry` on the fields of an entry; return the entry, or where and how it is refused.

    Args:
        fields: (name, value, line) of each field.
        file: name of the file.
        fault: name of an error that the reader of the last field raises, whatever its value; "" for none.
    Returns:
        {"entry": printed as in the file, "types": types of the written fields, "written", "location": type and text};
        or ("refused at", "file:line") with the place that a ValueError's message begins with, (ValueError, "without a
        place", its message) if it begins otherwise; ("passes through", type) of another error that a reader raises.
        The fields are added where they were changed.
    """
    readers = engine.aten.native_functions.READERS
    given, last = copy.deepcopy(fields), fields[-1][0]
    if fault:
        before, readers[last] = readers[last], _raising(fault)
    try:
        found = _parsed(engine, given, file, fault)
    finally:
        if fault:
            readers[last] = before
    return found if given == fields else (found, "fields changed to", given)


def _raising(fault):
    def read(value):
        raise ERRORS[fault]("raised by a reader")

    return read


def _parsed(engine, fields, file, fault):
    try:
        entry = engine.aten.native_functions.parse_entry(fields, file)
    except ValueError as error:
        if type_name(error) != "ValueError":
            raise
        place = PLACE.match(message(error))
        return ("refused at", place[1]) if place else ("ValueError", "without a place", message(error))
    except BaseException as error:
        if not fault or type(error) is not ERRORS[fault]:
            raise
        return ("passes through", type_name(error))
    if type(entry) is not engine.aten.model.NativeFunction:
        return ("returned", type(entry).__name__)
    return {
        "entry": str(entry),
        "types": [type(vars(entry)[name]).__name__ for name, _, _ in fields],
        "written": entry.written,
        "location": (type(entry.location).__name__, str(entry.location)),
    }
