#!/bin/sh
# Install a student's packages, or other extras, into .venv: `sh autograder/environment.sh [lab] [venv|uv|conda]`. The
# variable PYTHON names another interpreter than python3. make runs this too. A .venv that cannot serve is made again:
# one that is half-made, whose Python is gone or too old, or that came from another folder. With --serves this installs
# nothing, and prints "yes" if the .venv that is there serves.

cd "$(dirname "$0")/.." || exit 2
asks=""
[ "$1" != --serves ] || { asks=yes; shift; }
extras=${1-lab} tool=${2:-venv} PYTHON=${PYTHON:-python3}
while case $PATH in "$(pwd -P)/.venv/bin:"*) ;; *) false ;; esac; do PATH=${PATH#*:}; done # for the python3 behind it
modules="ssl sqlite3 ctypes zlib" # which a Python that was built from source may lack

stop() { # reason, what to do next
    printf 'Not installing: %s.\n%s\n' "$1" "$2"
    exit 2
}

# Prints the version of the Python that runs it, and the named modules that it lacks.
facts='
import sys
print("%d.%d.%d" % sys.version_info[:3])
for name in sys.argv[1:]:
    try:
        __import__(name)
    except ImportError:
        print(name)'

fault() { # program, modules...: prints why this Python cannot serve, or nothing
    program=$1
    shift
    command -v "$program" >/dev/null || { echo "there is no program $program"; return; }
    # shellcheck disable=SC2046 # a word each
    set -- $("$program" -c "$facts" "$@" 2>/dev/null)
    version=$1
    case $version in
    3.1[1-9].* | 3.[2-9][0-9].*) [ $# = 1 ] || { shift; echo "$program (Python $version) has no module $*"; } ;;
    "") echo "$program does not start: $("$program" -c "" 2>&1 | head -n 1)" ;;
    *) echo "$program is Python $version, expected 3.11 or newer" ;;
    esac
}

fault_before() { fault "$1" ensurepip venv $modules; }

advice() { # reason: prints how to get a Python that serves
    system=$(. "${OS_RELEASE:-/etc/os-release}" 2>/dev/null; echo " $ID $ID_LIKE ")
    case "$1;$system" in *ensurepip*";"*" debian "* | *ensurepip*";"*" ubuntu "*)
        version=${1##*(Python } version=${version%%)*}
        echo "Type: $([ "$(id -u)" = 0 ] || echo "sudo ")apt-get install python${version%.*}-venv"
        return ;;
    esac
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        [ "$(fault_before $name)" ] || { echo "$name will do. Put it before the command: PYTHON=$name"; return; }
    done
    echo "Install Python 3.11 or newer with all its modules, and put its name before the command: PYTHON=python3.13"
    echo "Or install uv (https://docs.astral.sh/uv), which brings a Python: make ENV=uv PYTHON=3.13 ..."
}

unusable() { # prints why the .venv that is there cannot serve, or nothing
    fault .venv/bin/python pip $modules
    # The programs in .venv/bin name the folder that they were made in.
    made_in=$(sed -n '1,2{s,^#!\(/.*\)/python[0-9.]*$,\1,p;s,^.*exec. "\(/.*\)/python[0-9.]*" .*$,\1,p;}' .venv/bin/pip)
    [ -z "$made_in" ] || [ "$(cd "$made_in" && pwd -P)" = "$(cd .venv/bin && pwd -P)" ] || echo "it is from $made_in"
}

unasked() { # prints why a .venv that serves is not the one that was asked for, or nothing
    case "$tool $PYTHON" in
    "conda "*) [ -d .venv/conda-meta ] || echo ".venv was not made by conda" ;;
    "venv python3") ;;
    "venv "*) [ "$("$PYTHON" -c "$facts")" = "$(.venv/bin/python -c "$facts")" ] || echo ".venv is not $PYTHON's" ;;
    esac
}

if [ "$asks" ]; then
    [ "$( (unusable; unasked) 2>/dev/null)" ] || echo yes
    exit
fi

# Programs in .venv would not start.
case $(pwd -P) in *[:\"\$\`\\]*)
    stop "this folder's path has one of : \" \$ \` \\ in it, expected none" "Move or rename $(pwd -P)" ;;
esac
case $tool in
venv) ;;
uv | conda) command -v $tool >/dev/null || stop "there is no program $tool" "Install it, or leave ENV=$tool out." ;;
*) stop "ENV is venv, uv or conda, not $tool" "Leave it out for venv." ;;
esac
case $extras in # megabytes: `du -sm .venv` after each, on Linux with Python 3.11
"") size="the engine, about 310 MB" ;;
lab) size="[lab], about 930 MB" ;;
grade) size="[grade], about 730 MB" ;;
lab,grade,site) size="[lab,grade,site], about 960 MB" ;;
*) size="[$extras], about 1,230 MB" ;;
esac

reason=$(unusable 2>/dev/null)
if [ "$tool" = venv ] && [ "$reason$PYTHON" != python3 ]; then
    wrong=$(fault_before "$PYTHON")
    [ -z "$wrong" ] || stop "$wrong" "$(advice "$wrong")"
fi
if [ -z "$reason" ]; then
    wrong=$(unasked)
    [ -z "$wrong" ] || stop "$wrong" "To make it again, type rm -rf .venv, then the same command."
elif [ -e .venv ] || [ -L .venv ]; then
    echo "removing .venv: $reason"
    rm -rf .venv
fi

echo "installing the packages of $size in all, into .venv (once)"
trap 'echo "Stopped. The same command continues."; exit 130' INT TERM
[ -z "$reason" ] || case $tool in
venv) "$PYTHON" -m venv .venv ;;
uv) uv venv --quiet --seed --python "$PYTHON" .venv ;;
conda) conda env create --quiet --prefix .venv --file environment.yml ;;
esac || stop "$tool could not make .venv, see above" "When that is repaired, the same command continues."
wrong=$(fault .venv/bin/python pip $modules)
[ -z "$wrong" ] || stop "$wrong" "$(advice "$wrong")"

case $tool in
venv)
    # pip takes a package whose files it was writing when it was killed for installed, unless this entry goes.
    for entry in .venv/lib/python*/site-packages/*.dist-info; do [ -e "$entry/INSTALLER" ] || rm -rf "$entry"; done
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".${extras:+[$extras]}" ;;
uv) uv pip install --python .venv/bin/python -c constraints.txt -e ".${extras:+[$extras]}" ;;
conda)
    conda env update --quiet --prefix .venv --file environment.yml &&
        .venv/bin/python -m pip install --quiet --no-deps -e . ;;
esac && exit
echo "Not installed: the message above says why. Nothing is lost, and the same command continues."
echo "  No connection? pip also calls that conflicting dependencies. Behind a proxy: export HTTPS_PROXY=http://host:port"
echo "  No space left? This folder needs room for the packages of $size."
echo "  Nothing for this Python, or it does not build? Tested are Python 3.11 to 3.13 on Linux x86-64."
exit 2
