"""Weaving the labs, checking exercises, grading submissions. See `grading/` for what `make grade` does."""
