"""Autograd: kernels above the backends that remember how each tensor was made, and the way back.

Mirrors torch/autograd.
"""
