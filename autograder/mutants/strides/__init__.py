"""The wrong answers to lab 1, strides."""

from autograder.mutants.strides import accessor, equivalent, layout, order, shapes, views

MODULES = (accessor, equivalent, layout, order, shapes, views)
