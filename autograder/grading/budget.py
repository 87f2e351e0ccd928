"""Limits of our own work for one student, outside the sandbox: reading, comparing, entering, writing the feedback."""

from dataclasses import dataclass

import psutil

from autograder.sandbox import processes


@dataclass(frozen=True)
class Budget:
    """The most that a process of the pool may use for one submission. The labs' own reference answers are part of it.

    `cpu_seconds`: of that process, not of the sandbox that it starts. `memory`: bytes beyond those that it began with.
    `memory_in_all`: the same of that process and all below it, the sandbox among them.
    """

    cpu_seconds: float = 60.0
    memory: int = 1 << 30
    memory_in_all: int = 2 << 30


class Meter:
    """The use of a process since this was made."""

    def __init__(self, pid: int, budget: Budget):
        self._process = psutil.Process(pid)
        self._budget = budget
        self._begun, self._held = self._cpu_seconds(), self._memory()
        self._held_in_all = processes.memory(pid)

    def excess(self) -> str:
        """Return what exceeds the budget, in words; "" if nothing does."""
        try:
            if self._cpu_seconds() - self._begun > self._budget.cpu_seconds:
                return f"more than {self._budget.cpu_seconds:g} CPU seconds outside the sandbox"
            if self._memory() - self._held > self._budget.memory:
                return f"more than {self._budget.memory / (1 << 20):,.0f} MiB of memory outside the sandbox"
            if processes.memory(self._process.pid) - self._held_in_all > self._budget.memory_in_all:
                return f"more than {self._budget.memory_in_all / (1 << 20):,.0f} MiB of memory, the sandbox's included"
        except psutil.Error:  # it has ended
            pass
        return ""

    def is_swollen(self) -> bool:
        """Return True if the process should not serve another submission: what it still holds would count for that."""
        try:
            return self._memory() > self._budget.memory / 2
        except psutil.Error:
            return True

    def _cpu_seconds(self) -> float:
        times = self._process.cpu_times()
        return times.user + times.system

    def _memory(self) -> int:
        return self._process.memory_info().rss
