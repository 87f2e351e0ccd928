"""The probes of lab 6, CUDA kernels."""
