"""The notebook's functions and the commands that a student runs: `check`, `resume`, `progress`, submit, my-engine."""
