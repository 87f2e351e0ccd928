#!/bin/sh
# Say at once if grading cannot run here, before anything is installed: `sh autograder/sandbox/isolation.sh [ARGS]`.
# ARGS are those of `make grade`; with --how it prints only how to install bubblewrap. The canary (canary.py) decides
# later, by trying, whether the walls hold. The sample class is graded without them, where nobody has handed in.

sudo=$([ "$(id -u)" = 0 ] || echo "sudo ")

how() {
    case $(uname -s) in
    Linux) ;;
    Darwin)
        echo "macOS has no bubblewrap. Grade in a Linux virtual machine or container: open this folder in its devcontainer"
        echo "(VS Code, or any tool that reads .devcontainer/), or on a Linux server. Students need none of this."
        return ;;
    *)
        echo "Windows has no bubblewrap. Install Ubuntu with 'wsl --install', open it, clone the repository there, and run"
        echo "make grade in it. Students need none of this."
        return ;;
    esac
    system=$(. "${OS_RELEASE:-/etc/os-release}" 2>/dev/null; echo " $ID $ID_LIKE ")
    echo "Grading runs students' programs and needs bubblewrap, or Linux 5.13 with Landlock, to shut them in. Type:"
    case $system in
    *" debian "* | *" ubuntu "*) echo "    ${sudo}apt-get install bubblewrap" ;;
    *" fedora "* | *" rhel "*) echo "    ${sudo}dnf install bubblewrap" ;;
    *" arch "*) echo "    ${sudo}pacman -S bubblewrap" ;;
    *" suse "* | *" opensuse "*) echo "    ${sudo}zypper install bubblewrap" ;;
    *" alpine "*) echo "    ${sudo}apk add bubblewrap setpriv" ;;
    *) echo "    install the package bubblewrap of your system" ;;
    esac
    case $system in
    *" ubuntu "*)
        echo "Ubuntu 24.04 and later also forbid unprivileged user namespaces. To allow them to bubblewrap alone:"
        profile="'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }'"
        printf '%s\n' "    printf '%s\\n' $profile | ${sudo}tee /etc/apparmor.d/bwrap"
        echo "    ${sudo}apparmor_parser --replace /etc/apparmor.d/bwrap" ;;
    esac
}

found() {  # prints why grading cannot run, or nothing
    if ! command -v bwrap >/dev/null 2>&1; then
        echo "bubblewrap is not installed"
    elif ! bwrap --ro-bind / / --dev /dev --unshare-pid --unshare-net true 2>/dev/null; then
        echo "bubblewrap is installed, but its test program cannot start: $(bwrap --ro-bind / / --dev /dev --unshare-pid \
            --unshare-net true 2>&1 | head -n 1)"
    fi
}

has_landlock() {
    python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' 2>/dev/null
}

is_empty() { [ -z "$(ls autograder/submitted 2>/dev/null)" ]; }

for argument in "$@"; do
    case $argument in
    --how) how; exit 0 ;;
    --accept-no-isolation | --help | -h) exit 0 ;;
    --scheduler=none) ;;
    --scheduler*) exit 0 ;; # other machines judge
    esac
done
if [ -r course.yaml ]; then
    while read -r key value; do
        case "$key $value" in "scheduler: t"*) exit 0 ;; esac
    done <course.yaml
fi
reason=$(found)
if [ -z "$reason" ] || has_landlock || is_empty; then exit 0; fi
echo "Not grading: $reason."
echo
how
echo "To grade without isolation, on a machine that you are ready to lose: make grade ARGS=--accept-no-isolation"
exit 2
