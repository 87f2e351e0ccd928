"""Checks of what becomes of many events: sums by name, and the table."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.profiler.findings import in_another_order, without
from autograder.labs.profiler.tables.probe import FIELDS

NAMES = ("aten::add", "aten::mul", "aten::mm", "forward")
SHAPES: tuple[list, ...] = ([[2, 3], [3]], [[2, 3], []], [[3], [2, 3]], [[2], [3]], [[6]], [])
LINES = ("model.py(12): forward", "model.py(30): loss", "train.py(7): step", "train.py(9): main")


def _event(rng: random.Random, name: str = "", **entries) -> tuple:
    length = rng.randint(1, 9000)
    return name or rng.choice(NAMES), length, rng.randint(0, length), entries


# ---- key_averages


def _sums_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([],), "none")
    yield Case(([("aten::add", 3000, 1000)],), "one")
    yield Case(([("aten::add", 3000, 1000), ("aten::add", 5000, 5000)],), "sum")
    yield Case(([("aten::mm", 3000, 1000), ("aten::add", 500, 500), ("aten::mm", 2000, 0)],), "order")
    yield Case(([("relu", 3000, 1000), ("relu", 500, 500, {"is_user_annotation": True})],), "annotation")
    yield Case(([("relu", 3000, 1000), ("relu", 500, 500, {"device": "CUDA"})],), "device")
    yield Case(([("f", 9000, 4000), ("f", 5000, 3000), ("f", 2000, 2000)],), "sum")
    yield Case(([("f", 900, 400, {"scope": 7}), ("f", 500, 300, {"scope": 1}), ("f", 200, 200)],), "sum")
    yield Case(([("f", 900, 400, {"cpu_memory_usage": -8}), ("f", 500, 300, {"cpu_memory_usage": 24})],), "sum")
    yield Case(([("f", 900, 400, {"count": 3}), ("f", 500, 300, {"count": 2})],), "sum")
    for _ in range(30):
        events = [_event(rng, **_maybe(rng, 0.5, input_shapes=rng.choice(SHAPES))) for _ in range(rng.randint(2, 7))]
        if rng.random() < 0.4:
            name = rng.choice(NAMES)
            events += [_event(rng, name, device="CUDA"), _event(rng, name), _event(rng, name, is_user_annotation=True)]
        yield Case((events,), "order")


def _maybe(rng: random.Random, chance: float, **entries) -> dict:
    return entries if rng.random() < chance else {}


def _sums_shapes(rng: random.Random) -> Iterator[Case]:
    two = [("aten::mm", 3000, 1000, {"input_shapes": [[2, 3]]}), ("aten::mm", 500, 100, {"input_shapes": [[3, 2]]})]
    yield Case((two,), "not asked")
    yield Case((two, True), "shapes")
    yield Case(([two[0], two[1], two[0]], True), "shapes")
    yield Case(([two[0], ("aten::add", 10, 10, {"input_shapes": [[2, 3]]})], True), "shapes")
    alike: tuple[tuple[list, list], ...] = (
        ([[2], [3]], [[2, 3]]), ([[3], [2]], [[2], [3]]), ([[2, 3], []], [[2, 3]]), ([[2, 3], [3]], [[2], [3, 3]]),
        ([], [[]]), ([[], [2]], [[2], []]), ([[12]], [[1, 2]]), ([[1, 12]], [[11, 2]]), ([[4]], [[2, 2]]),
    )  # fmt: skip
    for one, other in alike:
        yield Case(([("f", 300, 100, {"input_shapes": shapes}) for shapes in (one, other, one)], True), "shapes")
    overloads = [("aten::add", 300, 100, {"overload_name": name}) for name in ("Tensor", "out", "Tensor", "")]
    yield Case((overloads,), "not asked")
    yield Case((overloads, False, 0, True), "overloads")
    yield Case(([("f", 10, 10, {"overload_name": "out"}), ("fo", 10, 10, {"overload_name": "ut"})], False, 0, True),
               "overloads")  # fmt: skip
    yield Case(([("f", 10, 10, {"input_shapes": []})], True), "shapes")
    yield Case(([("f", 10, 10, {"input_shapes": [[2]], "overload_name": "out"})], True, 0, True), "overloads")
    both = [{"input_shapes": shapes, "overload_name": name} for shapes in ([[2]], [[3]]) for name in ("", "out")]
    for asked in ((True, 0, True), (False, 0, True), (True, 0, False), (True, 2, False)):
        yield Case(([("f", 10, 10, one) for one in (*both, *both)], *asked), "shapes")
    for _ in range(30):
        events = [
            _event(rng, rng.choice(NAMES[:2]), input_shapes=rng.choice(SHAPES), overload_name=rng.choice(("", "out")))
            for _ in range(rng.randint(3, 7))
        ]
        yield Case((events, rng.random() < 0.7, 0, rng.random() < 0.4), "shapes")


def _sums_stacks(rng: random.Random) -> Iterator[Case]:
    def called(*lines: int) -> tuple:
        return "aten::mm", 3000, 1000, {"stack": [LINES[line] for line in lines]}

    yield Case(([called(0, 2), called(1, 2)],), "stack not asked")
    yield Case(([called(0, 2), called(1, 2)], False, 1), "stack")
    yield Case(([called(0, 2), called(0, 3)], False, 1), "stack")
    yield Case(([called(0, 2), called(0, 3)], False, 2), "stack")
    yield Case(([called(0, 2), called(2, 0)], False, 2), "stack")
    yield Case(([called(0), called(0, 3), called()], False, 2), "short")
    yield Case(([called(0, 2, 3), called(0, 2, 3)], False, 5), "short")
    yield Case(([called(0, 2, 3), called(0, 2, 3)], False, 0), "stack not asked")
    alike: tuple[tuple[list, list], ...] = (
        (["a", "bc"], ["ab", "c"]), (["a;b"], ["a", "b"]), (["a, b"], ["a", "b"]), (["a\nb"], ["a", "b"]), ([], [""]),
        (["a", ""], ["", "a"]), (["a", "a"], ["a"]), (["a b"], ["a", "b"]), (["a", "b"], ["b", "a"]),
    )  # fmt: skip
    for one, other in alike:
        yield Case(([("f", 300, 100, {"stack": stack}) for stack in (one, other, one)], False, 2), "stack")
    for asked in ((True, 1), (True, 2, True), (False, 1, True)):
        yield Case(([called(0, 2), called(1, 2), called(0, 3), called(1, 2)], *asked), "stack")
    for _ in range(24):
        events = [
            _event(rng, rng.choice(NAMES[:2]), stack=rng.choices(LINES, k=rng.randint(0, 3)))
            for _ in range(rng.randint(3, 6))
        ]
        yield Case((events, False, rng.randint(0, 3)), "stack")


LISTS = "the stack of a sum", "the list that was given", "the events and their lists"


def _only_stacks(args: tuple) -> bool:
    return len({event[0] for event in args[0]}) == 1 and not any(args[3:])


def _joined(events: list[tuple], by_shapes: bool, entries: int) -> set[str]:
    """Return the groups of an answer that makes one text of a stack."""
    return {"".join(event[3].get("stack", [])[:entries]) for event in events if len(event) > 3}


KEY_AVERAGES = Check(
    "profiler.averages.key_averages",
    ("events", "group_by_input_shapes", "group_by_stack_n", "group_by_overload_name"),
    (
        Aspect("ordinary", 5, _sums_ordinary, findings=without(*LISTS, "shapes", "overload", "stack")),
        Aspect("shapes", 3, _sums_shapes, needs="ordinary", findings=without(*LISTS, "stack")),
        Aspect("stacks", 2, _sums_stacks, needs="ordinary", findings=without("shapes", "overload")),
    ),
    {
        "number of sums": "events make one sum if `key`, `device_type` and `is_user_annotation` are the same, and of "
        "shapes, stack and overload what was asked for, and nothing else",
        "keys": "the sums come in the order in which their groups first appear",
        **dict.fromkeys(
            ("count", "total", "own", "average", "memory"),
            "each event is added once, with `add`, to a sum that begins as an empty `FunctionEventAvg()`",
        ),
        **dict.fromkeys(
            ("device", "annotation", "scope"),
            "a group holds events of one device, annotations or none; `add` takes what is not summed from the first "
            "event, so add them in their order",
        ),
        "shapes": 'a sum shows its shapes, also [], if it was grouped by them, and "" if not; shapes of other nesting '
        "or order are others",
        "overload": 'a sum shows its overload if it was grouped by it, and "" if not',
        "none": "no events, no sums: an empty list",
        "one": "one event makes one sum, with a count of 1",
        "sum": "`add` adds an event to a sum: each event is added once, to a sum that begins empty",
        "order": "the sums come in the order in which their groups first appear",
        "annotation": "a `record_function` that has the name of an operator is a group of its own",
        "device": "events on another device are a group of their own, even with the same name",
        "not asked": 'if not requested, neither shapes nor overload divide a group, and the sum shows ""',
        "overloads": "with `group_by_overload_name`, each overload is a group, which keeps its name",
        "stack not asked": "with `group_by_stack_n` 0 the callers do not divide a group, and the sum has no stack",
        "stack": "only the first `group_by_stack_n` entries count, in their order, and the sum keeps these",
        "short": "a stack may be shorter than `group_by_stack_n`",
        "the events and their lists": "the lists belong to the events: cut a copy, `stack[:n]`, and change nothing",
        "the stack of a sum": "give the sum a list of its own, `stack[:n]`, also where nothing is cut off",
        "the list that was given": "the list belongs to the caller: walk over it, or sort a copy of it",
        "type": "return a list of FunctionEventAvg",
        "returned None": "the function ends without `return`",
        "raised": "nothing is refused here; a list cannot be a key of a dict",
    },
    probe="profiler.tables.sums",
    mistakes=(
        Mistake(
            "these are the right sums in another order: they come in the order in which their groups first appear",
            in_another_order(*FIELDS),
        ),
        Mistake(
            "of a stack the entries count one by one: texts joined to one may be the same for different stacks",
            lambda args, wanted, got: (
                args[2]
                and got.value["number of sums"] == len(_joined(*args[:3])) != wanted.value["number of sums"]
                and _only_stacks(args)
            ),
        ),
        Mistake(
            "no grouping was requested, but shapes, overload or stack divide the groups",
            lambda args, wanted, got: (
                not any(args[1:]) and got.value["number of sums"] > wanted.value["number of sums"]
            ),
        ),
    ),
)


# ---- build_table


def _rows(rng: random.Random, count: int, **entries) -> list[tuple]:
    return [_event(rng, f"{rng.choice(NAMES)}_{number}", **entries) for number in range(count)]


def _table_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(([],), "empty")
    yield Case(([("aten::add", 3000, 1000)],), "lines")
    yield Case(([("aten::add", 3000, 1000), ("aten::mm", 2500000, 2000000)],), "lines")
    yield Case(([("aten::add", 3000, 1000, {"input_shapes": [[2, 3]]})],), "lines")
    yield Case(([("forward", 3000, 1000), ("aten::add", 2000, 2000, {"lies_in": 0})],), "all levels")
    yield Case(([("aten::add", 3000, 1000)], None, {"header": "one step"}), "header")
    yield Case(([("aten::add", 3000, 1000)], None, {"header": ""}), "header")
    yield Case(([("f", 3000, 1000, {"stack": list(LINES[:2])}), ("g", 500, 500)],), "callers")
    yield Case(([("f", 3000, 1000, {"stack": list(LINES)}), ("g", 500, 500, {"stack": list(LINES[1:])})],), "callers")
    yield Case(([], None, {"header": "one step", "top_level_events_only": True}), "empty")
    yield Case(([("f", 3000, 1000, {"kernel": None})],), "options")
    yield Case(([("f", 3000, 1000, {"kernel": 7.0})],), "options")
    yield Case(([(name, 3000, 1000) for name in "zyxabc"],), "unsorted")
    for options in ({"time_unit": "ms"}, {"max_name_column_width": 12}, {"profile_memory": True}):
        yield Case(([("aten::convolution", 3000, 1000, {"cpu_memory_usage": 64})], None, options), "options")
    for _ in range(26):
        rows = _rows(rng, rng.randint(1, 4), **_maybe(rng, 0.4, input_shapes=rng.choice(SHAPES)))
        header = {"header": f"step {rng.randint(1, 99)}"} if rng.random() < 0.4 else {}
        yield Case((rows, None, header), "header" if header else "lines")


def _table_sorted(rng: random.Random) -> Iterator[Case]:
    three = [("a", 3000, 1000), ("b", 5000, 500), ("c", 4000, 4000)]
    yield Case((three, "cpu_time_total"), "sorted")
    yield Case((three, "self_cpu_time_total"), "sorted")
    yield Case((three, "cpu_time"), "sorted")
    yield Case(([("a", 3000, 0), ("b", 20000, 0), ("c", 100000, 0)], "cpu_time_total"), "sorted")
    device = [(name, 30, 10, {"device_memory_usage": nbytes}) for name, nbytes in (("a", 4), ("b", 64), ("c", 8))]
    yield Case((device, "cuda_memory_usage"), "number")
    yield Case(([(name, 30, 10, {"stack": list(LINES[:2])}) for name in "ab"], None, {"row_limit": 1}), "callers")
    yield Case(([("a", 30, 10), ("b", 30, 20), ("c", 30, 10)], "cpu_time_total"), "equal")
    yield Case(([("b", 30, 10), ("a", 40, 10), ("c", 30, 10), ("d", 40, 10)], "cpu_time_total"), "equal")
    yield Case(([(name, 30, 10, {"cpu_memory_usage": nbytes}) for name, nbytes in (("a", -8), ("b", 0), ("c", -24))],
                "cpu_memory_usage"), "sorted")  # fmt: skip
    for unknown in ("nonsense", "cpu_time_totals"):
        yield Case((three, unknown), "unknown number")
        yield Case(([], unknown), "no rows")
    for metric in ("xpu_time_total", "self_device_time_total"):
        yield Case(([("a", 30, 10, {"kernel": 7.0}), ("b", 30, 10, {"kernel": None})], metric), "unknown time")
        yield Case(([("a", 30, 10, {"kernel": 7.0}), ("b", 30, 10, {"kernel": 9.0})], metric), "number")
    yield Case(([("a", 30, 10, {"kernel": None}), ("b", 40, 10)], "cpu_time_total"), "sorted")
    for limit in (0, 1, 2, 3, 4, -1, -2):
        yield Case((three, None, {"row_limit": limit}), "limit")
        yield Case((three, "self_cpu_time_total", {"row_limit": limit}), "limit")
    for _ in range(26):
        rows = _rows(rng, rng.randint(2, 4))
        rows += [(f"{row[0]}_again", *row[1:]) for row in rows[:1]]
        metric = rng.choice(("cpu_time_total", "self_cpu_time_total", "count", "cpu_time", "cpu_memory_usage"))
        yield Case((rows, metric, {"row_limit": rng.randint(1, 5)}), "equal")


def _table_top(rng: random.Random) -> Iterator[Case]:
    nested = [("a", 9000, 1000), ("b", 5000, 500, {"lies_in": 0}), ("c", 4000, 4000)]
    yield Case((nested, None, {}), "all levels")
    yield Case((nested, None, {"top_level_events_only": True}), "top")
    yield Case((nested, "cpu_time_total", {"top_level_events_only": True, "row_limit": 2}), "top limit")
    yield Case((nested, "cpu_time_total", {"top_level_events_only": True, "row_limit": 1, "header": "x"}), "top limit")
    yield Case((nested, None, {"top_level_events_only": True, "row_limit": -1}), "top")
    for _ in range(28):
        rows = _rows(rng, rng.randint(2, 5))
        rows = [
            (*row[:3], {"lies_in": rng.randrange(number)}) if number and rng.random() < 0.5 else row
            for number, row in enumerate(rows)
        ]
        options = {"top_level_events_only": True, "row_limit": rng.randint(1, 4)}
        yield Case((rows, rng.choice((None, "cpu_time_total", "self_cpu_time_total")), options), "top limit")


def _lines(observation: Any) -> list[str]:
    return [text for name, text in observation.value.items() if name.startswith("line ")]


def _same_lines_in_another_order(args: tuple, wanted: Any, got: Any) -> bool:
    return sorted(_lines(wanted)) == sorted(_lines(got)) and _lines(wanted) != _lines(got)


def _ends_wrong(args: tuple, wanted: Any, got: Any) -> bool:
    one, other = "\n".join(_lines(wanted)), "\n".join(_lines(got))
    return one != other and one.strip("\n") == other.strip("\n")


def _first_wrong(is_such: Callable[[str], bool]) -> Callable:
    """Build a `Mistake.shows`: the first line that is not as it should be is of a kind."""

    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        lines, others = _lines(wanted), _lines(got)
        return is_such(next(line for at, line in enumerate(lines) if at >= len(others) or others[at] != line))

    return shows


def _rules_differ(args: tuple, wanted: Any, got: Any) -> bool:
    right, mine = ([line for line in _lines(one) if line.startswith("--")] for one in (wanted, got))
    return len(right) == len(mine) and right != mine


def _has_numbers(count: Callable[[int, int], bool]) -> Callable:
    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        return count(len(_lines(got)), len(_lines(wanted))) and "raised" not in wanted.value

    return shows


BUILD_TABLE = Check(
    "profiler.table.build_table",
    ("events", "sort_by", "options"),
    (
        Aspect("ordinary", 1, _table_ordinary),
        Aspect("sorted", 1, _table_sorted, needs="ordinary"),
        Aspect("top", 1, _table_top, needs="ordinary"),
    ),
    {
        "empty": 'without events the table is ""',
        "lines": 'rule, headers, rule, rows, rule, totals, joined with "\\n"; `totals_of` ends with "" already',
        "all levels": "without `top_level_events_only`, events inside others are shown too",
        "header": 'a header is above the first rule, below a line of "="; "" is a header too, None is not',
        "options": "`columns_of` and `totals_of` get the options that `build_table` got: units, widths, columns",
        "callers": "a row with callers has several lines, all that `lines_of` gives; `row_limit` counts rows",
        "sorted": "largest first; `columns_of` and `totals_of` get the rows in this order, too",
        "number": "`number_of(event, sort_by)` knows what is meant; the attribute may have another name",
        "equal": "rows with the same number stay in their order: `sorted` with `reverse=True` keeps it, reversing "
        "afterwards does not",
        "the list that was given": "the list belongs to the caller: sort a copy of it",
        "unsorted": "without `sort_by` the rows stay in their order",
        "no rows": 'without events the table is "", whatever `sort_by` is',
        "unknown number": "`number_of` raises an AttributeError if there is no such number: let it pass",
        "unknown time": "`number_of` raises a RuntimeError if a time is not known: let it pass",
        "limit": "`row_limit` 0 shows no row, a negative one shows all; columns and totals cover all rows",
        "top": "events inside others are not shown, but counted in the totals; the line that says so is below "
        'a line of "=" as long as the table',
        "top limit": "leave out events inside others, sort the rest, largest first, and count rows last of all; a "
        "header is above all else",
        "type": "return a str",
        "returned None": "the function ends without `return`",
        "raised": "nothing is refused here but a number that rows do not have or that is not known",
    },
    probe="profiler.tables.table",
    program="profiler.program.run",
    mistakes=(
        Mistake(
            "no error came, and `number_of` raises one here: no such number, or a time that is not known",
            lambda args, wanted, got: "raised" in wanted.value and "raised" not in got.value,
        ),
        Mistake(
            "here nothing is refused, and an error came: what `sort_by` means `number_of(event, sort_by)` knows, and "
            "the attribute may have another name",
            lambda args, wanted, got: "raised" in got.value and "raised" not in wanted.value and args[1],
        ),
        Mistake(
            'lines are joined by line feeds; the last entry of `totals_of` is "", so the text ends with one line feed',
            _ends_wrong,
        ),
        Mistake("these are the right lines in another order", _same_lines_in_another_order),
        Mistake(
            'a line of "=" is as long as a rule without the spaces at its end; it is above the header, and above the '
            "sentence of `top_level_events_only`",
            _first_wrong(lambda line: line.startswith("==")),
        ),
        Mistake(
            'in a rule each column of `columns_of`, which gets all rows, has as many "-" as it is wide, with SPACING '
            "spaces behind, also behind the last",
            _rules_differ,
        ),
        Mistake(
            "the lines below the table are `totals_of(rows, options)`, for all rows, shown or not",
            _first_wrong(lambda line: line.startswith("Self CPU time total")),
        ),
        Mistake(
            "the table has fewer lines than it should: `lines_of` gives all lines of a row, and `row_limit` counts "
            "rows, all if it is negative",
            _has_numbers(lambda mine, right: mine < right),
        ),
        Mistake(
            "the table has more lines than it should: `row_limit` 0 shows no row, a negative one all; events that have "
            "a `cpu_parent` are left out if only the top level is asked for",
            _has_numbers(lambda mine, right: mine > right),
        ),
    ),
)

CHECKS = (KEY_AVERAGES, BUILD_TABLE)
