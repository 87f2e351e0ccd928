"""The report's pictures, as data: URLs of SVG, so that the page needs nothing beside it."""

import base64
import io
from collections.abc import Sequence
from typing import Any

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

FULL, SOME, NOTHING, TEXT = "#009e73", "#f0e442", "#d55e00", "#1a1a1a"  # Okabe and Ito's colors
STYLE: dict[Any, Any] = {
    "font.size": 10, "text.color": TEXT, "axes.labelcolor": TEXT, "axes.spines.top": False,
    "axes.spines.right": False, "svg.hashsalt": "inside the tensor", "axes.axisbelow": True,
}  # fmt: skip


def distribution(points: Sequence[int], most: int) -> str:
    """Histogram of automatic points: one bar for every tenth of `most`, and one for all of them."""
    step = max(1, most // 10)
    edges = [*range(0, most, step), most, most + step]
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(4.6, 2.9), layout="constrained")
        counts, _, bars = axes.hist(points, edges, color="#0072b2", rwidth=0.88)
        axes.bar_label(bars, [f"{count:g}" if count else "" for count in counts])  # type: ignore[arg-type]
        axes.set_xticks([edge + step / 2 for edge in edges[:-1]])
        axes.set_xticklabels([f"{low}-{high - 1}" for low, high in zip(edges, edges[1:-1], strict=False)] + [f"{most}"])
        axes.tick_params(axis="x", rotation=45)
        axes.set_xlabel("automatic points")
        axes.set_ylabel("submissions")
        axes.yaxis.set_major_locator(matplotlib.ticker.MaxNLocator(integer=True))
        return _as_url(figure)


def exercises(names: Sequence[str], counts: Sequence[tuple[int, int, int]]) -> str:
    """For each exercise how many submissions earned all of its points, some, and none."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6.2, 0.6 + 0.27 * len(names)), layout="constrained")
        left = [0] * len(names)
        for part, (colour, label) in enumerate(((FULL, "all points"), (SOME, "some"), (NOTHING, "none"))):
            widths = [count[part] for count in counts]
            bars = axes.barh(names, widths, left=left, color=colour, label=label, height=0.78)
            axes.bar_label(bars, [f"{width}" if width else "" for width in widths], label_type="center", fontsize=9)
            left = [start + width for start, width in zip(left, widths, strict=True)]
        axes.invert_yaxis()
        axes.set_xticks([])
        axes.spines["bottom"].set_visible(False)
        figure.legend(loc="outside upper right", ncols=3, frameon=False)  # above the names too: they may be long
        return _as_url(figure)


def _as_url(figure: Figure) -> str:
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    plt.close(figure)
    return f"data:image/svg+xml;base64,{base64.b64encode(drawn.getvalue()).decode()}"
