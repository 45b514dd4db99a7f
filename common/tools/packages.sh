#!/usr/bin/env bash
# Says what the course needs and this machine lacks, and the command of its system that installs it.
#
#   packages.sh [--programs | --compiler] [NVCC]
#
#   --programs   leave out libraries: CMake can fetch those
#   --compiler   the C++ compiler alone: all that a handout needs, whose programs are built
#   NVCC         also ask whether there is a C++ compiler that this nvcc takes
#
# Prints two lines: what is missing, separated by blanks, and the command, as the shell takes it. The
# second line is empty on a system whose package manager is not known; both are where nothing is
# missing. What is there by other means (pip, conda, built from source) is not missing.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

# The column of packages.txt, and the words that install.
managers=(apt-get dnf zypper pacman conda)
declare -A install=(
  [apt-get]="apt-get install --yes --no-install-recommends"
  [dnf]="dnf install --assumeyes"
  [zypper]="zypper --non-interactive install"
  [pacman]="pacman --sync --needed --noconfirm"
  [conda]="conda install --yes --channel conda-forge"
)

# In an environment of conda its user may install; elsewhere it is the system's.
manager_here() {
  local candidate
  if [[ -n ${CONDA_PREFIX:-} ]] && ((EUID != 0)) && command -v conda >/dev/null; then
    echo conda
    return
  fi
  for candidate in "${managers[@]}"; do
    if command -v "$candidate" >/dev/null; then
      echo "$candidate"
      return
    fi
  done
}

# missing_headers HEADER…: those of them that the compiler does not find, in one run of it.
missing_headers() {
  local header
  if ! command -v c++ >/dev/null; then
    for header; do [[ -e /usr/include/$header ]] || echo "$header"; done
    return
  fi
  for header; do
    printf '#if !__has_include(<%s>)\nmissing %s\n#endif\n' "$header" "$header"
  done | c++ -E -P -x c++ ${CONDA_PREFIX:+-I "$CONDA_PREFIX/include"} - | sed -n 's/^missing //p'
}

# host_compiler_package MANAGER NAME: what it calls the compiler "g++-15".
host_compiler_package() {
  local version=${2#g++-}
  case $1 in
    dnf | zypper) echo "gcc$version-c++" ;;
    pacman) echo "gcc$version" ;;
    conda) echo "gxx=$version" ;;
    *) echo "$2" ;;
  esac
}

programs_only= compiler_only=
case ${1:-} in
  --programs) programs_only=1 ;;
  --compiler) programs_only=1 compiler_only=1 ;;
esac
if [[ -n $programs_only ]]; then shift; fi
nvcc=${1:-}
manager=$(manager_here)
missing=() # as packages.txt says it: "program:ninja"
packages=()

column=0
for ((i = 0; i < ${#managers[@]}; i++)); do
  if [[ ${managers[i]} == "$manager" ]]; then column=$((i + 1)); fi
done
rows=$(grep -v '^#' "$here/packages.txt")
headers=$(sed -n 's/^header:\([^ ]*\).*/\1/p' <<<"$rows")
# shellcheck disable=SC2086 # no header has a blank in its name
lacking=" $([[ -n $programs_only || -z $headers ]] || missing_headers $headers | tr '\n' ' ')"
while read -ra row; do
  name=${row[0]#*:}
  case ${row[0]} in
    program:*)
      [[ -z $compiler_only || $name == c++ ]] || continue
      ! command -v "$name" >/dev/null || continue
      ;;
    *) [[ $lacking == *" $name "* ]] || continue ;;
  esac
  package=${row[column]}
  [[ $package != - ]] || continue
  missing+=("$name")
  packages+=("$package")
done <<<"$rows"
if [[ -n $nvcc ]] && ! compiler=$("$here/host_compiler.sh" "$nvcc"); then
  missing+=("$compiler")
  packages+=("$(host_compiler_package "$manager" "$compiler")")
fi

echo "${missing[*]}"
command=
if ((${#missing[@]})) && [[ -n $manager ]]; then
  command="${install[$manager]}$(printf ' %q' "${packages[@]}")"
  sudo=
  if ((EUID != 0)) && [[ $manager != conda ]]; then sudo="sudo "; fi
  [[ $manager != apt-get ]] || command="apt-get update && $sudo$command"
  command=$sudo$command
fi
echo "$command"
