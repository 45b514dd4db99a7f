#!/usr/bin/env bash
# Finds the C++ compiler that nvcc can hand host code to.
#
#   host_compiler.sh NVCC
#
# nvcc refuses compilers that are newer than itself, and a new distribution's c++ often is. Prints the
# path of one that NVCC takes, or nothing where the system's g++, its own choice, will do. Exit status 1:
# there is none, and the name of one that would do is printed ("g++-15").
set -euo pipefail
nvcc=$1

# takes [OPTION…]: whether nvcc gets through its own headers, where it looks at the compiler's version.
takes() { "$nvcc" "$@" -E -x cu /dev/null >/dev/null 2>&1; }

# named PREFIX: programs in PATH whose name is PREFIX and a version, the newest first.
named() { compgen -c "$1" | grep -x "$1[0-9]*[0-9]" | sort -rVu; }

# What it would use by itself is named too unless it is the system's: stages are compiled in a sandbox,
# which knows neither PATH nor NVCC_CCBIN.
if takes; then
  own=${NVCC_CCBIN:-g++}
  [[ ! -d $own ]] || own=$own/g++
  own=$(command -v "$own") || exit 0
  [[ $own == /usr/bin/g++ || $own == /bin/g++ ]] || echo "$own"
  exit
fi
for compiler in $(named g++-) $(named clang++-); do
  if takes -ccbin "$compiler"; then
    command -v "$compiler"
    exit
  fi
done
# "gcc versions later than 15 are not supported"
newest=$("$nvcc" -E -x cu /dev/null 2>&1 | sed -n 's/.*gcc versions later than \([0-9]*\).*/\1/p' |
  head -n 1) || true
echo "g++${newest:+-$newest}"
exit 1
