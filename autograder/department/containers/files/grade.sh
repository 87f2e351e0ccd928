#!/bin/sh
# Grade the submission that this container was started for: grade.sh gradescope | prairielearn
# The grader writes results.json; if it dies, not_graded.json beside this script takes its place.
set -u
here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
gradescope) results=/autograder/results ;;
prairielearn) results=/grade/results ;;
*) echo "expected grade.sh gradescope | prairielearn" >&2; exit 2 ;;
esac
mkdir -p "$results"
rm -rf "$results/results.json"
NUMBA_CACHE_DIR="$here/kernels" "$here/venv/bin/python" -I -m autograder.department.containers "$1" "$here/config.yaml" 2>&1
status=$?
if [ ! -s "$results/results.json" ]; then
    echo "The grader ended with status $status and without a result."
    cp "$here/not_graded.json" "$results/results.json"
fi
exit $status
