"""The probes of lab 7, the profiler."""
