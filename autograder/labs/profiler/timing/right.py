"""Right answers written in another way than the engine's."""

RIGHT_ANSWERS = {
    "profiler.timer.estimate_block_size": """
import itertools


def estimate_block_size(timed, min_run_time):
    readings = sorted(map(timed, [0] * 5))
    for power in itertools.count():
        runs = 10**power
        seconds = timed(runs)
        if seconds > min_run_time or runs == LARGEST_BLOCK:
            break
        if 10_000 * readings[2] <= seconds and 1000 * seconds >= min_run_time:
            break
    return runs
""",
    "profiler.timer.measured": """
def measured(timed, number, min_run_time, is_enough, max_run_time, callback):
    def blocks():
        total, seen = 0.0, []
        while total < min_run_time or not is_enough(list(seen)):
            seconds = timed(number)
            total += seconds
            seen.append(seconds)
            if callback:
                callback(number, seconds)
            yield seconds
            if max_run_time is not None and total > max_run_time:
                return

    return list(blocks())
""",
    "profiler.measurement.quantile": (
        """
def quantile(times, q):
    whole, rest = divmod(q * (len(times) - 1), 1)
    left = sorted(times)[int(whole) :][:2]
    return left[0] * (1 - rest) + left[-1] * rest
""",
        """
def quantile(times, q):
    heap, place = list(times), q * (len(times) - 1)
    one = 0.0
    for at in range(math.ceil(place) + 1):
        before, one = one, min(heap)
        heap.remove(one)
    return float(one) if place == at else before + (one - before) * (place - at + 1)
""",
    ),
    "profiler.averages.above": (
        """
import operator


def above(averages, share, metric="self_cpu_time_total"):
    number = operator.attrgetter(metric)
    whole = 0
    for one in averages:
        whole += known(number(one))
    found = [one for one in averages if not number(one) <= whole * share]
    found.sort(key=number, reverse=True)
    return found
""",
        """
def above(averages, share, metric="self_cpu_time_total"):
    pairs = [(known(getattr(one, metric)), -place) for place, one in enumerate(averages)]
    least = sum(value for value, _ in pairs) * share
    return [averages[-place] for value, place in sorted(pairs)[::-1] if value > least]
""",
    ),
}
