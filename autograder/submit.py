"""The command by which a student makes the file to upload: `python -m autograder.submit 02-dispatch --id ada`."""

import sys

from autograder.student.submit import main

if __name__ == "__main__":
    sys.exit(main())
