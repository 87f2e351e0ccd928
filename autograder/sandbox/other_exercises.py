"""Everything that a worker is given of a lab before a student's code: the exercises that are not its own.

Its own reference never enters its process: neither the bytecode (exercise_bodies.py) nor a kernel compiled from it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from autograder.sandbox import answers, image, kernels, wire


def requests(
    of_image: Path, all_kernels: Path | None, exercises: Mapping[str, tuple[str, ...]], exercise: str, stub: str
) -> Iterator[dict[str, Any]]:
    """Yield the requests that the broker sends to prepare a worker, in order.

    Args:
        of_image: folder of the lab's image.
        all_kernels: folder of the compiled kernels, None where there are none.
        exercises: all of the lab.
        exercise, stub: the one that the worker is for, and what replaces it.
    """
    if all_kernels:
        for files in _batches(kernels.for_worker(all_kernels, exercises, exercise)):
            yield {"operation": "kernels", "files": _arrays(files)}
    others = answers.bytecode(image.answers_of(of_image))
    del others[exercise]
    yield {"operation": "blank", "exercise": exercise, "stub": stub, "others": _arrays(others)}


def _batches(files: Mapping[str, bytes]) -> Iterator[dict[str, bytes]]:
    """Yield the files in frames that are not too long, unless one file is."""
    batch: dict[str, bytes] = {}
    for name, content in files.items():
        if batch and sum(map(len, batch.values())) + len(content) > wire.LONGEST_FRAME // 2:
            yield batch
            batch = {}
        batch[name] = content
    if batch:
        yield batch


def _arrays(files: Mapping[str, bytes]) -> dict[str, np.ndarray]:
    return {name: np.frombuffer(content, np.uint8) for name, content in files.items()}
