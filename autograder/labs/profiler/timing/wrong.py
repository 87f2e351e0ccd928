"""Wrong answers to the exercises about timing."""

from autograder.made_up.wrong_answer import Equivalent, WrongAnswer

SIZE = "profiler.timer.estimate_block_size"
MEASURED = "profiler.timer.measured"
QUANTILE = "profiler.measurement.quantile"
ABOVE = "profiler.averages.above"

WRONG_ANSWERS = (
    WrongAnswer(SIZE, "all blocks together may not take longer", ("limits",), (
        "number = 1",
        "number, total = 1, 0.0",
        "time = timed(number)",
        """
time = timed(number)
total += time
""",
        "if is_enough or time > min_run_time or number >= LARGEST_BLOCK:",
        "if is_enough or total > min_run_time or number >= LARGEST_BLOCK:",
    )),
    WrongAnswer(SIZE, "reads a clock of its own", ("ordinary", "limits"), """
def estimate_block_size(timed, min_run_time):
    number = 1
    while True:
        began = timeit.default_timer()
        timed(number)
        time = timeit.default_timer() - began
        if time >= min_run_time / 1000 or number >= LARGEST_BLOCK:
            return number
        number *= 10
"""),
    WrongAnswer(SIZE, "a whole microsecond is assumed for the clock", ("ordinary", "limits"), (
        """
overhead = statistics.median_low([timed(0) for _ in range(5)])
number = 1
""",
        "number = 1",
        """
is_enough = overhead / time <= 1e-4 and time >= min_run_time / 1000
if is_enough or time > min_run_time or number >= LARGEST_BLOCK:
""",
        "if 1e-6 / time <= 1e-4 and time >= min_run_time / 1000 or time > min_run_time or number >= LARGEST_BLOCK:",
    )),
    WrongAnswer(SIZE, "the mean of the readings, not the middle one", ("limits",),
        ("overhead = statistics.median_low([timed(0) for _ in range(5)])",
         "overhead = sum([timed(0) for _ in range(5)]) / 5"),
    ),
    WrongAnswer(SIZE, "either of the two conditions is enough", ("ordinary", "limits"), (
        """
is_enough = overhead / time <= 1e-4 and time >= min_run_time / 1000
if is_enough or time > min_run_time or number >= LARGEST_BLOCK:
""",
        "if overhead / time <= 1e-4 or time >= min_run_time / 1000 or number >= LARGEST_BLOCK:",
    )),
    WrongAnswer(SIZE, "without the upper limits", ("limits",), (
        """
is_enough = overhead / time <= 1e-4 and time >= min_run_time / 1000
if is_enough or time > min_run_time or number >= LARGEST_BLOCK:
""",
        "if overhead / time <= 1e-4 and time >= min_run_time / 1000:",
    )),
    WrongAnswer(SIZE, "the smallest reading", ("limits",),
        ("overhead = statistics.median_low([timed(0) for _ in range(5)])",
         "overhead = min([timed(0) for _ in range(5)])"),
    ),
    WrongAnswer(SIZE, "the third reading", ("limits",),
        ("overhead = statistics.median_low([timed(0) for _ in range(5)])",
         "overhead = [timed(0) for _ in range(5)][2]"),
    ),
    WrongAnswer(SIZE, "as long as min_run_time is too long", ("limits",),
        ("if is_enough or time > min_run_time or number >= LARGEST_BLOCK:",
         "if is_enough or time >= min_run_time or number >= LARGEST_BLOCK:"),
    ),
    WrongAnswer(MEASURED, "the limit itself is too much", ("limit",),
        ("if max_run_time is not None and sum(times) > max_run_time:",
         "if max_run_time is not None and sum(times) >= max_run_time:"),
    ),
    WrongAnswer(MEASURED, "the last block is not told", ("limit",), (
        """
if callback is not None:
    callback(number, times[-1])
if max_run_time is not None and sum(times) > max_run_time:
    break
""",
        """
if max_run_time is not None and sum(times) > max_run_time:
    break
if callback is not None:
    callback(number, times[-1])
""",
    )),
    WrongAnswer(MEASURED, "the first block is a warm-up and is left out", ("ordinary", "limit"), (
        "times: list[float] = []",
        """
timed(number)
times = []
""",
    )),
    WrongAnswer(MEASURED, "long enough or content", ("ordinary", "limit"),
        ("while sum(times) < min_run_time or not is_enough(times):",
         "while sum(times) < min_run_time and not is_enough(times):"),
    ),
    WrongAnswer(MEASURED, "the limit holds for a block", ("limit",),
        ("if max_run_time is not None and sum(times) > max_run_time:",
         "if max_run_time is not None and times[-1] > max_run_time:"),
    ),
    WrongAnswer(MEASURED, "one block at least", ("ordinary",), """
def measured(timed, number, min_run_time, is_enough, max_run_time, callback):
    times = []
    while True:
        times.append(timed(number))
        if callback is not None:
            callback(number, times[-1])
        if max_run_time is not None and sum(times) > max_run_time or sum(times) >= min_run_time and is_enough(times):
            return times
"""),
    WrongAnswer(MEASURED, "a limit of 0 is taken for none", ("limit",),
        ("if max_run_time is not None and sum(times) > max_run_time:",
         "if max_run_time and sum(times) > max_run_time:"),
    ),
    WrongAnswer(MEASURED, "asks whether it is enough from the first moment", ("ordinary", "limit"),
        ("while sum(times) < min_run_time or not is_enough(times):",
         "while not (is_enough(times) and sum(times) >= min_run_time):"),
    ),
    WrongAnswer(MEASURED, "a tuple is asked about", ("ordinary", "limit"),
        ("while sum(times) < min_run_time or not is_enough(times):",
         "while sum(times) < min_run_time or not is_enough(tuple(times)):"),
    ),
    WrongAnswer(QUANTILE, "off by one: n in the place of n - 1", ("ordinary",), (
        """
place = q * (len(ordered) - 1)
below = math.floor(place)
""",
        """
place = q * len(ordered)
below = min(math.floor(place), len(ordered) - 1)
""",
    )),
    WrongAnswer(QUANTILE, "equal times count once", ("ordinary",),
        ("ordered = sorted(times)", "ordered = sorted(set(times))"),
    ),
    WrongAnswer(QUANTILE, "the nearest time", ("ordinary",), """
def quantile(times, q):
    ordered = sorted(times)
    return float(ordered[round(q * (len(ordered) - 1))])
"""),
    WrongAnswer(QUANTILE, "an int where an int is at the position", ("edge",),
        ("return ordered[below] + (place - below) * (ordered[above] - ordered[below])", """
if place == below:
    return ordered[below]
return ordered[below] + (place - below) * (ordered[above] - ordered[below])
"""),
    ),
    WrongAnswer(QUANTILE, "the mean for the median", ("ordinary",), (
        "ordered = sorted(times)",
        """
ordered = sorted(times)
if q == 0.5:
    return statistics.fmean(ordered)
""",
    )),
    WrongAnswer(QUANTILE, "does not sort", ("ordinary", "edge"), """
def quantile(times, q):
    place = q * (len(times) - 1)
    below = math.floor(place)
    above = min(below + 1, len(times) - 1)
    return times[below] + (place - below) * (times[above] - times[below])
"""),
    WrongAnswer(QUANTILE, "sorts the caller's list", ("edge",), """
def quantile(times, q):
    times.sort()
    place = q * (len(times) - 1)
    below = math.floor(place)
    above = min(below + 1, len(times) - 1)
    return times[below] + (place - below) * (times[above] - times[below])
"""),
    WrongAnswer(ABOVE, "nothing, if the whole is not above 0", ("edge",),
        ("least = share * sum(values)", """
least = share * sum(values)
if sum(values) <= 0:
    return []
"""),
    ),
    WrongAnswer(ABOVE, "a share of 1 or more finds nothing", ("edge",),
        ("least = share * sum(values)", """
least = share * sum(values)
if share >= 1:
    return []
"""),
    ),
    WrongAnswer(ABOVE, "values become floats", ("edge",),
        ("values = [known(getattr(one, metric)) for one in averages]",
         "values = [float(known(getattr(one, metric))) for one in averages]"),
    ),
    WrongAnswer(ABOVE, "what is not known is passed over", ("unknown",),
        ("values = [known(getattr(one, metric)) for one in averages]", """
averages = [one for one in averages if getattr(one, metric) is not None]
values = [known(getattr(one, metric)) for one in averages]
"""),
    ),
    WrongAnswer(ABOVE, "rows of one name are taken for one", ("edge",), """
def above(averages, share, metric="self_cpu_time_total"):
    values = {one.key: known(getattr(one, metric)) for one in averages}
    found = [one for one in averages if values[one.key] > share * sum(values.values())]
    return sorted(found, key=lambda one: values[one.key], reverse=True)
"""),
    WrongAnswer(ABOVE, "a share of the total times, which count twice", ("ordinary", "edge", "unknown"), """
def above(averages, share, metric="self_cpu_time_total"):
    total = sum(one.cpu_time_total or 0 for one in averages)
    [known(getattr(one, metric)) for one in averages]
    found = [one for one in averages if getattr(one, metric) > share * total]
    return sorted(found, key=lambda one: getattr(one, metric), reverse=True)
"""),
    WrongAnswer(ABOVE, "what was given back counts as taken", ("edge",), """
def above(averages, share, metric="self_cpu_time_total"):
    total = sum(abs(known(getattr(one, metric))) for one in averages)
    found = [one for one in averages if getattr(one, metric) > share * total]
    return sorted(found, key=lambda one: getattr(one, metric), reverse=True)
"""),
    WrongAnswer(ABOVE, "a share of the greatest", ("ordinary", "edge", "unknown"), """
def above(averages, share, metric="self_cpu_time_total"):
    greatest = max([known(getattr(one, metric)) for one in averages], default=0)
    found = [one for one in averages if getattr(one, metric) > share * greatest]
    return sorted(found, key=lambda one: getattr(one, metric), reverse=True)
"""),
    WrongAnswer(ABOVE, "exactly the share is enough", ("edge",), """
def above(averages, share, metric="self_cpu_time_total"):
    total = sum(known(getattr(one, metric)) for one in averages)
    found = [one for one in averages if getattr(one, metric) >= share * total and getattr(one, metric)]
    return sorted(found, key=lambda one: getattr(one, metric), reverse=True)
"""),
    WrongAnswer(ABOVE, "what is not known counts as nothing", ("unknown",), """
def above(averages, share, metric="self_cpu_time_total"):
    total = sum(getattr(one, metric) or 0 for one in averages)
    found = [one for one in averages if (getattr(one, metric) or 0) > share * total]
    return sorted(found, key=lambda one: getattr(one, metric), reverse=True)
"""),
    WrongAnswer(ABOVE, "sorted and turned round, so equal ones change places", ("edge",), """
def above(averages, share, metric="self_cpu_time_total"):
    total = sum(known(getattr(one, metric)) for one in averages)
    found = [one for one in averages if getattr(one, metric) > share * total]
    return sorted(found, key=lambda one: getattr(one, metric))[::-1]
"""),
)  # fmt: skip

EQUIVALENT = (
    Equivalent(
        SIZE, "if is_enough or time > min_run_time or number >= LARGEST_BLOCK:",
        "if is_enough or time > min_run_time or number == LARGEST_BLOCK:",
        "a block has a power of ten of runs, one after the other, so it meets this one",
    ),
)  # fmt: skip
