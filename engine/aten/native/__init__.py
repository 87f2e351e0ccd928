"""The operators: what each computes. Mirrors aten/src/ATen/native."""
