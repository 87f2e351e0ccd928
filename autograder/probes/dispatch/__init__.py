"""The probes of lab 2, dispatch."""
