"""Right answers to the second half of lab 7 in other words: those of a made-up student of its cohort."""

from autograder.cohort.student import load

ANOTHER_WAY = dict(load("07-profiler")["nora-other-words"].cells)
