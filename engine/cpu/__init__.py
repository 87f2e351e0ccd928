"""Kernels for the CPU: jitted loops over flat arrays, which know offsets and strides and nothing of tensors."""
