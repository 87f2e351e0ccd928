#!/usr/bin/env bash
# Gradescope runs this once, as root, when the autograder is uploaded. The zip is unpacked in /autograder/source.
exec sh /autograder/source/install.sh gradescope
