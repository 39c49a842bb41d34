#!/bin/sh
# Makes or refreshes .venv with the locked packages and an editable Headwater.
#
#   tools/venv.sh run    what `headwater` needs            (requirements/run.txt)
#   tools/venv.sh dev    the same, and the tests' tools    (requirements/dev.txt)
#
# A stamp keeps the checksum of everything that decides the result, so a second call costs
# milliseconds. PYTHON=/path/to/python chooses the interpreter; otherwise the newest one that the
# lock was made for and that really starts is taken (a pyenv shim may exist and still not start).
set -eu

profile=${1:?usage: tools/venv.sh run|dev}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
lock=requirements/$profile.txt
venv=.venv
oldest="3, 11"
newest="3, 14"

say() { printf '%s\n' "headwater: $*" >&2; }
fail() {
    for line in "$@"; do say "$line"; done
    exit 1
}

is_supported() {
    "$1" -c "import sys; sys.exit(not ($oldest) <= sys.version_info[:2] <= ($newest))" 2>/dev/null
}

choose_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_supported "$PYTHON" && echo "$PYTHON" && return
        fail "PYTHON='$PYTHON' is not a Python 3.11 to 3.14 that starts."
    fi
    for candidate in python3.14 python3.13 python3.12 python3.11 python3 python; do
        is_supported "$candidate" && echo "$candidate" && return
    done
    fail "no Python 3.11 to 3.14 was found on PATH (python3 is: $(python3 --version 2>&1 || true))." \
        "On Debian 12, Ubuntu 24.04 or later:  sudo apt-get install python3 python3-venv" \
        "On Ubuntu 22.04:  sudo apt-get install python3.11 python3.11-venv" \
        "Or name one:  PYTHON=/path/to/python3.12 make ..."
}

# Debian and Ubuntu ship `venv` without `ensurepip`; that half is in a package of its own.
create_venv() {
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
            fail "'$python' cannot make a virtual environment: its module 'ensurepip' is missing." \
                "On Debian or Ubuntu:  sudo apt-get install $package" \
                "then run the same command again."
        fi
        say "installing the system package $package (running as root)"
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
            --no-install-recommends "$package" >/dev/null ||
            fail "apt-get could not install '$package', which '$python' needs to make a virtual environment."
    fi
    say "creating $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv"
}

# The path counts: a virtual environment that was moved has broken scripts.
fingerprint() {
    { echo "$root"; "$venv/bin/python" -VV; cat pyproject.toml "$lock" tools/venv.sh; } | cksum
}

is_usable() {
    [ -x "$venv/bin/python" ] && is_supported "$venv/bin/python" &&
        [ "$(cat "$venv/.made-in" 2>/dev/null)" = "$root" ]
}

is_current() {
    is_usable && [ "$(cat "$venv/.stamp-$profile" 2>/dev/null)" = "$(fingerprint)" ]
}

is_current && exit 0
# Two calls at once: the second waits, then finds the work done.
if command -v flock >/dev/null; then
    exec 9>.venv.lock
    flock 9
    is_current && exit 0
fi
if ! is_usable; then
    python=$(choose_python)
    create_venv
    echo "$root" >"$venv/.made-in"
fi
say "installing the locked packages of $lock (the first time takes a minute)"
pip="$venv/bin/python -m pip --disable-pip-version-check --quiet"
$pip install --no-deps --only-binary :all: --require-hashes -r "$lock" ||
    fail "the packages of $lock could not be installed: see pip's message above."
$pip install --no-deps --no-build-isolation --editable . ||
    fail "Headwater itself could not be installed into $venv: see pip's message above."
fingerprint >"$venv/.stamp-$profile"
