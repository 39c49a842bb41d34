#!/bin/sh
# Renews requirements/*.txt: exact versions with hashes, one file for every supported Python and
# platform, readable by plain pip. Registries are not written into it.
set -eu
cd "$(dirname "$0")/.."
command -v uv >/dev/null || {
    echo "headwater: 'make lock' needs 'uv' on PATH (pip install uv); users never do." >&2
    exit 1
}
compile() {
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
        --only-binary :all: --custom-compile-command "make lock" "$@" \
        pyproject.toml requirements/build.in
}
compile -o requirements/run.txt
compile -o requirements/dev.txt --constraints requirements/run.txt --extra dev
