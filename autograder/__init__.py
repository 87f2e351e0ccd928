"""Everything around the engine: the labs' checks, the notebooks, grading, and the proof that the checks are good.

labs/       all that is asked, a folder each         examine/    asks and judges an answer
author/     from texts to notebooks and bundles      student/    what a notebook imports, commands of students
sandbox/    where a submission's code is shut in     grading/    from submissions to a gradebook and reports
documents/  checked files beside a notebook          department/ clusters, exports, other systems' containers
made_up/    wrong answers, right ones, students       proof/      mutants, classes of any size, kills at random
overlay/    runs a student's function in its place in the engine, and puts the reference back
notebook.py and submit.py are the names that students write; files.py writes a file whole, for all of them, and
progress_bar.py shows how far a command is.
"""

import sys

# jsonschema, which nbformat imports, makes 38 parsers of internationalised addresses out of this module: two seconds
# for a format that no notebook's schema has.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
