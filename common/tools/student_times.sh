#!/usr/bin/env bash
# How long a student waits: from a fresh clone to the first grade, from a handout to the first grade, and in
# `./lab watch` from a save to its verdict.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: common/tools/student_times.sh [clone] [handout] [watch] [--saves N]

Measures what is committed here, on two cores, without a compiler cache, in a temporary folder:

  clone     git clone, then ./lab grade reduction: every program is built
  handout   ./lab handout of that clone, unpacked elsewhere, then ./lab grade reduction
  watch     in that handout ./lab watches, in tmux; a wrong text and a right one of reduction/1 are saved in
            turn, N times [20]: the time from each save until its verdict stands on the screen

All three are the default; each needs the one before it, which is made but not shown. Close other programs
first: the times are of the wall clock. Needs git, tmux, zstd and what ./lab needs.
TEXT
}

fail() {
  printf 'student_times: %s\n' "$1" >&2
  exit 2
}

root=$(dirname "$(readlink -f "$0")")/../..
wanted=()
saves=20
while (($#)); do
  case $1 in
    clone | handout | watch) wanted+=("$1") ;;
    --saves)
      saves=${2:?--saves needs a number}
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) fail "there is no '$1': --help lists what there is" ;;
  esac
  shift
done
((${#wanted[@]})) || wanted=(clone handout watch)
is_wanted() { [[ " ${wanted[*]} " == *" $1 "* ]]; }

for program in git tmux zstd taskset; do
  command -v "$program" >/dev/null || fail "there is no $program: install it"
done
place=$(mktemp -d)
tmux() { command tmux -f /dev/null -S "$place/tmux" "$@"; }
end() {
  tmux kill-server 2>/dev/null || true
  rm -rf "$place"
}
trap end EXIT
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CUDA_COMPILER_LAUNCHER LAB_PRESET
export CCACHE_DISABLE=1

now() { date +%s%3N; } # milliseconds
shown() { printf '%-28s %s.%03d s\n' "$1" "$(($2 / 1000))" "$(($2 % 1000))"; }

# grade NAME: the first grade of the course in the current folder; every stage of it is still to do.
grade() {
  local begin
  begin=$(now)
  taskset -c 0,1 ./lab grade reduction --device sim >"$place/$1.log" 2>&1 || true
  grep -q 'Still to do' "$place/$1.log" || {
    cat "$place/$1.log" >&2
    fail "the first grade of the $1 says nothing of what is to do: see above"
  }
  took=$(($(now) - begin))
}

git clone --quiet "$root" "$place/clone"
cd "$place/clone"
grade clone
if is_wanted clone; then shown "clone to first grade" "$took"; fi
if is_wanted handout || is_wanted watch; then
  ./lab handout "$place/course.tar.zst" reduction >"$place/pack.log" 2>&1 || {
    cat "$place/pack.log" >&2
    fail "no handout could be packed: see above"
  }
  mkdir "$place/student"
  begin=$(now)
  tar --extract --file "$place/course.tar.zst" --directory "$place/student"
  unpacked=$(($(now) - begin))
  cd "$place/student"/*/
  grade handout
  if is_wanted handout; then shown "handout to first grade" $((unpacked + took)); fi
fi
is_wanted watch || exit 0

# Two texts of one stage, one right and one wrong.
stage=labs/reduction/1_interleaved.cu
right=$place/clone/solutions/reduction/1_interleaved.cu
sed 's/sums\[\(.*\)\] += /sums[\1] -= /' "$right" >"$place/wrong.cu"
cmp -s "$right" "$place/wrong.cu" && fail "the solution of reduction/1 has no line to spoil"

# wait_for TEXT: until it stands on the screen.
wait_for() {
  local until=$(($(now) + 60000))
  until tmux capture-pane -p -t lab | grep -q -- "$1"; do
    (($(now) < until)) || fail "within 60 s the screen did not show '$1':
$(tmux capture-pane -p -t lab)"
    sleep 0.01
  done
}

tmux new-session -d -s lab -x 100 -y 40 "taskset -c 0,1 ./lab watch"
wait_for 'is graded when you save it'
times=()
for ((i = 0; i < saves; ++i)); do
  if ((i % 2)); then text=$right verdict='pass  *10/10'; else text=$place/wrong.cu verdict=' wrong '; fi
  begin=$(now)
  cp "$text" "$stage"
  wait_for "$verdict"
  times+=($(($(now) - begin)))
  sleep 0.5
done
mapfile -t sorted < <(printf '%s\n' "${times[@]}" | sort -n)
shown "save to verdict, median" "${sorted[$((saves / 2))]}"
shown "save to verdict, fastest" "${sorted[0]}"
shown "save to verdict, slowest" "${sorted[-1]}"
