#!/bin/sh
# Say at once if grading cannot run here, before anything is installed: `sh autograder/sandbox/bubblewrap.sh [ARGS]`.
# ARGS are those of `make grade`; with --how it prints only how to install bubblewrap. The canary (canary.py) decides
# later, by trying, whether the walls hold.

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
    echo "Grading runs students' programs and needs bubblewrap to shut them in. Type:"
    case $system in
    *" debian "* | *" ubuntu "*) echo "    ${sudo}apt-get install bubblewrap libseccomp2" ;;
    *" fedora "* | *" rhel "*) echo "    ${sudo}dnf install bubblewrap libseccomp" ;;
    *" arch "*) echo "    ${sudo}pacman -S bubblewrap libseccomp" ;;
    *" suse "* | *" opensuse "*) echo "    ${sudo}zypper install bubblewrap libseccomp2" ;;
    *" alpine "*) echo "    ${sudo}apk add bubblewrap libseccomp setpriv" ;;
    *) echo "    install the packages bubblewrap and libseccomp of your system" ;;
    esac
    case $system in
    *" ubuntu "*)
        echo "Ubuntu 24.04 and later also forbid unprivileged user namespaces. To allow them until the next start:"
        echo "    ${sudo}sysctl kernel.apparmor_restrict_unprivileged_userns=0" ;;
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

for argument in "$@"; do
    case $argument in
    --how) how; exit 0 ;;
    --accept-no-isolation | --help | -h) exit 0 ;;
    esac
done
reason=$(found)
[ -z "$reason" ] && exit 0
echo "Not grading: $reason."
echo
how
echo "To grade without isolation, on a machine that you are ready to lose: make grade ARGS=--accept-no-isolation"
exit 2
