"""Operators: free functions that carry their PyTorch schema, by file of aten/src/ATen/native."""
