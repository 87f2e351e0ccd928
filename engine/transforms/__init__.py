"""Transforms: dispatch keys that change the meaning of a program."""
