"""Formats of times, shares, bytes and operations in a profile.

Mirrors the functions _format_* of torch/autograd/profiler_util.py.
"""

import math

FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


def format_time(time_us: float, unit: str | None = None) -> str:
    """Format a time in microseconds with a suitable unit, or with `unit`: "s", "ms" or "us".

    >>> format_time(1234.5), format_time(0.5), format_time(1234.5, "s")
    ('1.234ms', '0.500us', '0.001s')
    """
    if unit not in ("s", "ms", "us"):
        unit = "s" if time_us >= 1e6 else "ms" if time_us >= 1e3 else "us"
    return f"{time_us / {'s': 1e6, 'ms': 1e3, 'us': 1.0}[unit]:.3f}{unit}"


def format_time_share(time_us: float, total_time_us: float) -> str:
    """Format a time as a percentage of the total, or "NaN" if the total is 0.

    >>> format_time_share(1, 8), format_time_share(0, 0)
    ('12.50%', 'NaN')
    """
    return f"{time_us * 100.0 / total_time_us:.2f}%" if total_time_us else "NaN"


def format_memory(nbytes: int) -> str:
    """Format a number of bytes with a suitable unit.

    >>> format_memory(100), format_memory(-2048)
    ('100 B', '-2.00 KB')
    """
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


def flops_scale(flops: float) -> tuple[float, str]:
    """Return the factor that scales a positive number of FLOPs to a readable unit, and the name of that unit."""
    power = int(max(0, min(math.log10(flops) / 3, len(FLOPS) - 1)))
    return 10.0 ** (-3 * power), FLOPS[power]
