"""Right answers to the second half of lab 2 in other words: those of a made-up student of its cohort."""

from autograder.cohort.student import load

ANOTHER_WAY = dict(load("02-dispatch")["wanda-other-words"].cells)
