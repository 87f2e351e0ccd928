"""The probes of lab 3, operators."""
