"""The result of a Timer: times of many runs, and what they say. Mirrors torch/utils/benchmark/utils/common.py."""

import dataclasses
import math
import statistics
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

MOST_FIGURES = 4
LEAST_INTERVAL = 25e-9  # seconds; nothing is known better
IQR_WARN, IQR_GROSS_WARN = 0.1, 0.25
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
ENGLISH = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}


class Summary(NamedTuple):
    """Summary statistics of times: median, mean and quartiles."""

    median: float
    mean: float
    p25: float
    p75: float

    @property
    def iqr(self) -> float:
        """The interquartile range: the width of the middle half of the times."""
        return self.p75 - self.p25


def quantile(times: Sequence[float], q: float) -> float:
    """Return the `q`-quantile of the times, linearly interpolated.

    The sorted times are at positions 0, 1, ..., n - 1, with straight lines between them. The result is the value at
    position q * (n - 1).

    Args:
        times: not empty, in any order; the list is not changed.
        q: from 0 to 1.
    Returns:
        a float.

    >>> quantile([4, 1, 2, 3], 0.5), quantile([1, 2, 3, 5], 0.75)
    (2.5, 3.5)
    """
    ordered = sorted(times)
    place = q * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def summarize(times: Sequence[float]) -> Summary:
    """Return the median, mean and quartiles of the times, or NaN for each if there are none."""
    if not times:
        return Summary(*[math.nan] * 4)
    return Summary(quantile(times, 0.5), statistics.fmean(times), quantile(times, 0.25), quantile(times, 0.75))


def significant_figures(times: Sequence[float]) -> int:
    """Return the number of significant figures of the median, from 1 to 4.

    The middle half of the times (those from n // 4 up to ceil(3 n / 4), in their order) has a standard deviation,
    without Bessel's correction. The median is known up to 1.645 of it / sqrt(their number), and never better than
    25 ns. That part of the median, as a power of ten, is the number of figures.

    Source: Measurement.significant_figures.
    """
    ordered = sorted(times)
    middle = ordered[len(ordered) // 4 : math.ceil(3 * len(ordered) / 4)]
    interval = max(1.645 * statistics.pstdev(middle) / math.sqrt(len(middle)), LEAST_INTERVAL)
    figures = math.floor(math.log10(quantile(ordered, 0.5) / interval))
    return min(max(figures, 1), MOST_FIGURES)


def select_unit(time: float) -> tuple[str, float]:
    """Return the unit in which a time has 1 to 3 digits before the decimal point, and the seconds per unit."""
    power = int(math.log10(time) // 3) if time > 0 else 0
    unit = {-3: "ns", -2: "us", -1: "ms"}.get(power, "s")
    return unit, UNITS[unit]


def trim_sigfig(number: float, figures: int) -> float:
    """Round a number to `figures` significant figures.

    >>> trim_sigfig(3.14159, 2), trim_sigfig(1234, 2)
    (3.1, 1200.0)
    """
    scale = 10.0 ** (math.ceil(math.log10(abs(number))) - figures)
    return float(f"{round(number / scale) * scale:.12g}")


@dataclass(frozen=True)
class TaskSpec:
    """The description of a measured statement: the code, its setup and the labels for tables."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or else the statement, with the sub-label if there is one."""
        if self.label is not None or "\n" not in self.stmt:
            named = self.stmt if self.label is None else self.label
            return named + (f": {self.sub_label}" if self.sub_label else "")
        return f"stmt:{f' ({self.sub_label})' if self.sub_label else ''}\n{textwrap.indent(self.stmt, '  ')}"

    def setup_str(self) -> str:
        """Return the setup as text; "" if there is none."""
        if self.setup in ("", "pass"):
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Return the title, the description and the setup as text."""
        sections = [self.title, self.description or "", self.setup_str()]
        return "\n".join(f"{one}\n" if "\n" in one else one for one in sections if one)


FIELDS = tuple(one.name for one in dataclasses.fields(TaskSpec))


@dataclass(repr=False)
class Measurement:
    """The measured times of a statement.

    Attributes:
        number_per_run: how often it ran for each of `raw_times`, in seconds.
        task_spec: what it is; the measurement has its fields as attributes too.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if name in FIELDS:
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def times(self) -> list[float]:
        """The time of one run in each block, in seconds."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def median(self) -> float:
        return summarize(self.times).median

    @property
    def mean(self) -> float:
        return summarize(self.times).mean

    @property
    def iqr(self) -> float:
        """The interquartile range: the width of the middle half of the times."""
        return summarize(self.times).iqr

    @property
    def significant_figures(self) -> int:
        """The number of significant figures of the median."""
        return significant_figures(self.times)

    def meets_confidence(self, threshold: float = IQR_WARN) -> bool:
        """Return True if the interquartile range is less than `threshold` times the median."""
        return self.iqr / self.median < threshold

    @property
    def has_warnings(self) -> bool:
        """True if the times vary too much to be trusted."""
        return bool(self.raw_times) and not self.meets_confidence(IQR_WARN)

    @property
    def title(self) -> str:
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """The name of the measurement's row in a table."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def __repr__(self) -> str:
        found, count = summarize(self.times), len(self.raw_times)
        unit, scale = select_unit(found.median)
        threads = self.task_spec.num_threads
        lines = [object.__repr__(self), self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if count > 1 else ''}{found.median / scale:.2f} {unit}")
        if count >= 4:
            low, high = found.p25 / scale, found.p75 / scale
            lines.append(f"  IQR:    {found.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})")
        lines.append(
            f"  {count} measurement{'s' if count > 1 else ''}, {self.number_per_run} runs "
            f"{'per measurement,' if count > 1 else ','} {threads} thread{'s' if threads > 1 else ''}"
        )
        return "\n".join(lines + self._warning())

    def _warning(self) -> list[str]:
        if not self.has_warnings:
            return []
        gross = not self.meets_confidence(IQR_GROSS_WARN)
        cause = (
            "This suggests significant environmental influence." if gross else "This could indicate system fluctuation."
        )
        share = self.iqr / self.median * 100
        return [
            f"  WARNING: Interquartile range is {share:.1f}% of the median measurement.",
            f"           {cause}",
        ]

    @staticmethod
    def merge(measurements: Iterable["Measurement"]) -> list["Measurement"]:
        """Merge all measurements of each task into one, and return the merged measurements."""
        groups: dict[TaskSpec, list[float]] = {}
        for measurement in measurements:
            groups.setdefault(measurement.task_spec, []).extend(measurement.times)
        return [Measurement(1, times, task) for task, times in groups.items()]
