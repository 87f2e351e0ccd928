"""Weaving the labs, checking exercises, grading submissions. See `grading/` for what `make grade` does."""

import sys

# jsonschema, which nbformat imports, makes 38 parsers of internationalised addresses out of this module: two seconds
# for a format that no notebook's schema has.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
