"""Faults that somebody could make, each with the tests that must find it: `python -m tests.planted`."""
