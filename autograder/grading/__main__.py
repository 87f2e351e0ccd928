"""`python -m autograder.grading`."""

import sys

from autograder.grading.run import main

if __name__ == "__main__":
    sys.exit(main())
