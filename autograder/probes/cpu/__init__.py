"""The probes of lab 5, CPU kernels."""
