#!/bin/sh
# Install the grader in the folder of this script: bubblewrap, a Python, the packages, the lab's kernels.
# Runs once, as root, while the container's image is built (Debian and Ubuntu).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export DEBIAN_FRONTEND=noninteractive

python() {  # prints the first Python that the grader was tried with
    for each in python3 python3.13 python3.12 python3.11; do
        if "$each" -c 'import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
            command -v "$each"
            return
        fi
    done
    return 1
}

if ! command -v bwrap >/dev/null || ! python >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends bubblewrap ca-certificates util-linux
    python >/dev/null || apt-get install -y -qq --no-install-recommends python3 python3-venv
    python >/dev/null || apt-get install -y -qq --no-install-recommends python3.11 python3.11-venv
fi
"$(python)" -m venv "$here/venv"
"$here/venv/bin/python" -m pip install --quiet --no-cache-dir --disable-pip-version-check \
    -c "$here/constraints.txt" "$here"/inside_the_tensor_grader-*.whl
mkdir -p "$here/kernels"
lab=$(sed -n 's/^lab: *//p' "$here/config.yaml")
echo "compiling the kernels of $lab"
NUMBA_CACHE_DIR="$here/kernels" "$here/venv/bin/python" -I -m autograder.department.containers.graded "$1" "$here/config.yaml"
chmod -R a+rwX "$here/kernels" # the container may not run as root
