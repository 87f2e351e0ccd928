"""Stubs for type checkers and editors: `python -m engine.utils.pyi` writes them from the tables that make the bindings.

Mirrors tools/pyi of PyTorch.
"""
