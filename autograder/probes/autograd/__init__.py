"""The probes of lab 4, autograd."""
