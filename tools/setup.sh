# shellcheck shell=bash
# What ./run, ./test, tools/lint and .ci/run have in common; sourced, never executed.
#
#   require_system_packages build|docs|test|fuzz
#                                       compilers and headers: installs them as root, else says which
#   require_environment demo|docs|test       .venv with usmx, that extra, and the examples' extensions, up to date
#   require_build_tools                 .venv with the SYCL runtime and what builds C++
#   require_venv                        .venv alone
#   pip_install_listed TABLE.KEY        requirements that pyproject.toml lists there
#   listed TABLE.KEY                    prints these
#   step TEXT COMMAND...                runs a long command: says so, times it, and logs its output

ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
VENV=$ROOT/.venv
# The OpenCL CPU driver shows its device but cannot create a context when its own path has a space.
if [[ $VENV == *[[:space:]]* ]]; then
  VENV=${XDG_CACHE_HOME:-$HOME/.cache}/usmx/venv-$(cksum <<<"$ROOT" | cut -d ' ' -f 1)
fi
LOG=$VENV/setup.log
BESIDE_LOG=$VENV/setup-beside.log
beside='' # the process that installs packages while something is built
OLDEST_PYTHON=3.11
OLDEST_GXX=12
NEWEST_GXX=15 # newer ones have to show that they compile the runtime's headers
OLDEST_CLANG=19

say() { printf '%s\n' "$*" >&2; }

# show_help SCRIPT: the comment that it begins with.
show_help() { sed -n '1d; /^#/!q; s/^# \{0,1\}//p' "$1"; }

die() {
  say "error: $*"
  exit 1
}

step() {
  local text=$1 start=$SECONDS status=0 progress=''
  shift
  mkdir -p "$VENV"
  printf '==> %s ... ' "$text" >&2
  printf '\n==> %s\n' "$text" >>"$LOG"
  if [[ -t 2 ]]; then
    show_progress "$text" "$start" "$(stat --format=%s "$LOG")" &
    progress=$!
  fi
  "$@" >>"$LOG" 2>&1 </dev/null || status=$?
  if [[ -n $progress ]]; then
    kill "$progress" && wait "$progress" 2>/dev/null || true
    printf '\r\033[K==> %s ... ' "$text" >&2
  fi
  if ((status == 0)); then
    say "done in $((SECONDS - start)) s"
  else
    say "failed after $((SECONDS - start)) s; the end of $LOG:"
    tail -n 40 "$LOG" >&2
    return 1
  fi
}

# show_progress TEXT START SIZE: says each second how long a step has run, and how far it is by the log after its first
# SIZE bytes; and how far pip is beside it. Until it is killed or the script has ended.
show_progress() {
  local text=$1 start=$2 size=$3 width line
  width=$(stty size <&2 2>/dev/null | cut -d ' ' -f 2) || true
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    line="==> $text ... $((SECONDS - start)) s $(tail --bytes=+"$size" "$LOG" | last_said)"
    [[ -z $beside ]] || line+=", pip: $(last_said <"$BESIDE_LOG")"
    printf '\r\033[K%s' "${line:0:${width:-80} - 1}" >&2
  done
}

# How many files are built, "[12/40]" as ninja says it, or the package that pip looks at or unpacks, by the end of a log.
last_said() {
  tail --bytes=4000 | grep -oE '^ *\[[0-9]+/[0-9]+\]|^ *(Collecting|Downloading|Installing collected) [^ (]+' | tail -n 1 |
    sed -E 's|Downloading (.*/)?([^/-]*)-.*|Downloading \2|; s/^ *//; s/:$//' || true
}

# ---- System packages ---------------------------------------------------------------------------

# Sets PYTHON to the first interpreter that is new enough.
find_python() {
  local name
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if "$name" -c "import sys; sys.exit(sys.version_info < (${OLDEST_PYTHON/./, }))" 2>/dev/null; then
      PYTHON=$name
      return
    fi
  done
  return 1
}

# Sets and exports CXX, which CMake reads.
find_compiler() {
  local name version
  for name in ${CXX:+"$CXX"} g++ g++-15 g++-14 g++-13 g++-12; do
    version=$("$name" -dumpversion 2>/dev/null) || continue
    if [[ $("$name" --version) == *clang* ]]; then # only where CXX names it
      ((${version%%.*} >= OLDEST_CLANG)) || continue
      export CXX=$name
      return
    fi
    ((${version%%.*} >= OLDEST_GXX)) || continue
    if ((${version%%.*} > NEWEST_GXX)) && ! compiles_sycl "$name"; then
      say "$name is g++ $version, of which it is not known that it compiles <sycl/sycl.hpp>; looking for g++ $OLDEST_GXX to $NEWEST_GXX"
      continue
    fi
    export CXX=$name
    return
  done
  return 1
}

# Whether a compiler takes the headers of the runtime that is installed.
compiles_sycl() {
  [[ -f $VENV/include/sycl/sycl.hpp ]] &&
    "$1" -std=c++20 -w -fsyntax-only -I"$VENV/include" -x c++ - <<<'#include <sycl/sycl.hpp>' >/dev/null 2>&1
}

# The newest version that Debian has packages of, and which the runtime's headers are known to take.
packaged_gxx() {
  local version
  for ((version = NEWEST_GXX; version > OLDEST_GXX; --version)); do
    apt-cache show "g++-$version" >/dev/null 2>&1 && break
  done
  echo "$version"
}

# Whether clang++, and its runtime libraries, make a fuzzer.
can_build_fuzzers() {
  clang++ -x c++ -fsanitize=fuzzer,address -o /dev/null - 2>/dev/null <<'CPP'
extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }
CPP
}

# Prints the Debian packages that are missing, one a line.
missing_packages() {
  if find_python; then
    "$PYTHON" -c 'import ensurepip, venv' 2>/dev/null || echo "$PYTHON-venv"
    "$PYTHON" -c 'import sys, sysconfig, pathlib
sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").is_file())' || echo "$PYTHON-dev"
  elif command -v python3 >/dev/null; then # there, but too old
    printf '%s\n' "python$OLDEST_PYTHON" "python$OLDEST_PYTHON-venv" "python$OLDEST_PYTHON-dev"
  else
    printf '%s\n' python3 python3-venv python3-dev
  fi
  if ! find_compiler; then
    if command -v g++ >/dev/null; then echo "g++-$(packaged_gxx)"; else echo g++; fi
  elif [[ $1 == test ]]; then
    "$CXX" -E -x c++ - <<<'#include <gtest/gtest.h>' >/dev/null 2>&1 || echo libgtest-dev
  fi
  if [[ $1 == docs || $1 == test ]]; then
    command -v doxygen >/dev/null || echo doxygen
  fi
  if [[ $1 == test ]]; then
    command -v chromium >/dev/null || echo chromium # opens the documentation site
  fi
  if [[ $1 == fuzz ]]; then
    can_build_fuzzers || printf '%s\n' clang libclang-rt-dev
  fi
}

require_system_packages() {
  local missing attempt
  # Three times: g++ may turn out to be too old, and GoogleTest is looked for with a compiler.
  for attempt in 1 2 3; do
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || break
    if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
      say "These system packages (Debian's names) are missing: ${missing[*]}"
      say "Install them, on a Debian-like system with:"
      say "  sudo apt-get update && sudo apt-get install -y ${missing[*]}"
      exit 1
    fi
    say "These system packages (Debian's names) are missing, and apt-get installs them now: ${missing[*]}"
    ((attempt > 1)) || step "Updating the list of system packages" apt-get update
    step "Installing ${missing[*]}" \
      env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
  done
  find_python || die "found no Python >= $OLDEST_PYTHON"
  find_compiler || die "found no g++ >= $OLDEST_GXX"
}

# ---- The virtual environment ---------------------------------------------------------------------

# Makes .venv and puts it first on PATH. Made anew when Python changed, the folder was moved, or pip was killed there; not
# while another run's pip works there.
require_venv() {
  local made_for marker
  for marker in "$VENV"/installing-*; do
    ! kill -0 "${marker##*-}" 2>/dev/null || die "process ${marker##*-} installs into $VENV: wait until it has ended"
  done
  : "${PYTHON:?is set by require_system_packages}" # or .venv would go, and pip install where it happens to be
  made_for="$("$PYTHON" -c 'import sys; print(sys.version)') in $VENV"
  if [[ $(cat "$VENV/made-for" 2>/dev/null) != "$made_for" ]] || compgen -G "$VENV/installing-*" >/dev/null; then
    rm -rf -- "$VENV"
    step "Making the virtual environment ${VENV#"$ROOT/"}" "$PYTHON" -m venv "$VENV"
    printf '%s\n' "$made_for" >"$VENV/made-for"
  fi
  export VIRTUAL_ENV=$VENV PATH=$VENV/bin:$PATH
}

# Verbose: the log has what a build says, and step shows how far it is. Python compiles the modules that are imported, a
# part of those that there are. Where pip is killed, half a package may be there, which the next pip takes for a whole one:
# then the file stays that says so.
pip_install() {
  local status=0 marker=$VENV/installing-$BASHPID
  touch -- "$marker"
  python -m pip install -v --no-compile "$@" || status=$?
  rm -f -- "$marker"
  return "$status"
}

pip_install_listed() {
  local requirements
  mapfile -t requirements < <(listed "$1")
  pip_install "${requirements[@]}"
}

# The requirements that pyproject.toml lists there, one a line.
listed() {
  python - "$ROOT/pyproject.toml" "$1" <<'PYTHON'
import sys, tomllib
with open(sys.argv[1], "rb") as file:
    value = tomllib.load(file)
for key in sys.argv[2].split("."):
    value = value[key]
print(*value, sep="\n")
PYTHON
}

# hash_of PATH...: of all files there.
hash_of() (
  cd -- "$ROOT" || exit
  find "$@" \( -name __pycache__ -o -name build \) -prune -o -type f -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1
)

# The stamp says what is installed: the extra, and the hashes of what is required and of usmx; test includes demo.
require_environment() {
  local extra=$1 stamp=$VENV/installed status=0 required sources installed=()
  require_venv
  required=$(hash_of pyproject.toml tools/setup.sh)
  sources=$(hash_of CMakeLists.txt LICENSE README.md cmake examples include python src)
  if [[ -f $stamp ]]; then read -r -a installed <"$stamp"; fi
  if [[ ${installed[0]-} == "test" ]]; then extra="test"; fi
  [[ "${installed[*]}" != "$extra $required $sources" ]] || return 0

  rm -f -- "$stamp"
  # Not isolated, and with build folders that stay: then a changed file costs seconds, not a minute,
  # and the SYCL runtime (1.5 GB) is unpacked once.
  if [[ "${installed[*]::2}" == "$extra $required" ]]; then
    step "Building and installing usmx" install_usmx
  else
    announce "$extra"
    step "Installing the SYCL runtime and build tools" install_build_requirements
    begin_requirements "$extra"
    step "Building and installing usmx" install_usmx || status=$?
    step "Installing all that the $extra needs" finish_requirements "$extra" # whole, whatever became of the build
    ((status == 0)) || return "$status"
  fi
  if [[ $extra != docs ]]; then # which has no oneMKL
    require_example pca
  fi
  if [[ $extra == test ]]; then
    require_example onedal
  fi
  printf '%s\n' "$extra $required $sources" >"$stamp"
}

# begin_requirements EXTRA: what is not there yet is installed while usmx is built. What is there, and so may be in use by
# the build, stays as it is. If that cannot be, finish_requirements says why.
begin_requirements() {
  local constraints=$VENV/constraints.txt missing
  mapfile -t missing < <(requirements_of "$1" "$constraints")
  ((${#missing[@]})) || return 0
  trap end_beside EXIT # Ctrl-C's, too, which does not reach the group of its own
  : >"$BESIDE_LOG"
  export VENV
  export -f pip_install
  setsid bash -c 'renice --priority 10 $$ && pip_install "$@"' pip --constraint "$constraints" "${missing[@]}" \
    >"$BESIDE_LOG" 2>&1 </dev/null &
  beside=$!
}

end_beside() {
  [[ -z $beside ]] || kill -- "-$beside" 2>/dev/null || kill "$beside" 2>/dev/null || true
}

# finish_requirements EXTRA: waits for what has begun, and installs what is missing still; mostly that is nothing.
finish_requirements() {
  local requirements
  if [[ -n $beside ]]; then
    tail --follow --lines=+1 --sleep-interval=0.2 --pid="$beside" "$BESIDE_LOG"
    wait "$beside" || echo "That has failed; once more, with everything that is required:"
    beside=''
  fi
  mapfile -t requirements < <(requirements_of "$1")
  pip_install "${requirements[@]}"
}

# requirements_of EXTRA [CONSTRAINTS]: all that usmx requires with it, one a line. With a file, only packages that are not
# there in any version; and the file gets the versions of those that are.
requirements_of() {
  python - "$ROOT/pyproject.toml" "$@" <<'PYTHON'
import re, sys, tomllib
from importlib.metadata import distributions

def normal(name):
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", name)[0]).lower()

with open(sys.argv[1], "rb") as file:
    project = tomllib.load(file)["project"]

def of(extra):
    for each in project["optional-dependencies"][extra]:
        own = re.fullmatch(r"usmx\[(.+)\]", each)
        yield from (one for name in own[1].split(",") for one in of(name)) if own else [each]

required = [*project["dependencies"], *of(sys.argv[2])]
if len(sys.argv) > 3:
    there = {normal(each.name): each.version for each in distributions() if each.name}
    required = [each for each in required if normal(each) not in there]
    with open(sys.argv[3], "w") as file:
        file.writelines(f"{name}=={version}\n" for name, version in there.items())
for each in required:
    print(each)
PYTHON
}

# Kernels for CUDA devices where there is one, and of those of mathematics the first that programs call: the others are
# compiled when they are called.
install_usmx() {
  local cuda=OFF
  [[ $(ldconfig -p 2>/dev/null) != *libcuda.so.1* ]] || cuda=ON
  install_project wheel "$ROOT" --no-deps --config-settings=cmake.define.USMX_CUDA_KERNELS="$cuda" \
    --config-settings=cmake.define.USMX_PACKAGED_KERNELS=core
}

# require_example NAME: with its sources, and nanobind's, compiled as one, which takes two thirds of the time.
require_example() {
  local stamp=$VENV/installed-$1 sources
  sources=$(hash_of "examples/$1" include cmake tools/setup.sh)
  [[ $(cat "$stamp" 2>/dev/null) != "$sources" ]] || return 0
  rm -f -- "$stamp"
  step "Building and installing examples/$1" \
    install_project "$1" "$ROOT/examples/$1" --config-settings=cmake.define.CMAKE_UNITY_BUILD=ON
  printf '%s\n' "$sources" >"$stamp"
}

# install_project FOLDER PROJECT [OPTION...]: what is built stays in that folder of build/.
install_project() {
  pip_install --no-build-isolation --config-settings=build-dir="$ROOT/build/$1" "${@:3}" "$2"
}

require_build_tools() {
  require_venv
  step "Installing the SYCL runtime and build tools" install_build_requirements
}

# Says what is about to be installed; of packages that are there already pip installs nothing.
announce() {
  local size=3.6
  [[ $1 != test ]] || size=5.1
  say "This installs usmx, the SYCL runtime and what the $1 needs, $size GB in all, into"
  say "$VENV"
  say "from pip's package index, and builds in $ROOT/build. Nothing else is touched but pip's own cache."
}

install_build_requirements() {
  local requirements
  mapfile -t requirements < <(listed build-system.requires)
  pip_install "${requirements[@]}" cmake ninja
}
