#!/usr/bin/env bash
# Tries the course as a new user would, on a Debian or Ubuntu that was installed a minute ago.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: common/tools/on_distribution.sh SUITE… [OPTION…]

Makes a root file system of each SUITE (bookworm, trixie, testing, noble, …) with debootstrap, binds the
CUDA toolkit into it, and runs in it, from a fresh clone of what is committed here:

  first       ./lab grade reduction                      nothing is written yet: every stage is `todo`
  solutions   ./lab grade --solutions --device sim       every stage passes
  test        ./lab test                                 every test passes
  handout     ./lab handout, here; its archive is unpacked by an ordinary user, on two cores and without a
              network, in a root file system that has g++, bubblewrap and zstd and nothing more of what the
              course needs: how long the first grade takes, and that solutions pass

as root, who installs the packages, and then, without a network, as an ordinary user whose clone stands
in a folder with blanks and brackets in its name. Ends with a table, and with status 1 when anything
else came out. Needs root, debootstrap and bubblewrap.

  --as root,user,confined   who runs them. `confined` is a user who may make no namespaces, as in many
                     containers: there is no sandbox, and one warning that says so [root,user]
  --run LIST         which of first, solutions, test, handout [the first three]
  --roots FOLDER     keep the root file systems there, and use those that are there [a temporary one]
  --logs FOLDER      what each command printed, and results.json of `solutions` [./distributions]
  --toolkit FOLDER   [/usr/local/cuda]
  --mirror URL       [http://deb.debian.org/debian, http://archive.ubuntu.com/ubuntu]
  --include LIST     packages that the root file system gets beside git, separated by commas
  --env NAME=VALUE   set for the commands, for example CXX=clang++; may be given again
  --snapshot         take a mirror whose signed lists are past their date
TEXT
}

fail() {
  printf 'on_distribution: %s\n' "$1" >&2
  exit 2
}

tree=$(git -C "$(dirname "$(readlink -f "$0")")" rev-parse --show-toplevel)
suites=()
as=root,user run=first,solutions,test roots= logs=$PWD/distributions toolkit=/usr/local/cuda
mirror= include= snapshot= environment=()
while (($#)); do
  case $1 in
    -h | --help) usage && exit ;;
    --snapshot) snapshot=1 ;;
    --as | --run | --roots | --logs | --toolkit | --mirror | --include | --env)
      (($# > 1)) || fail "$1 needs a value"
      case $1 in
        --env) environment+=("$2") ;;
        *) printf -v "${1#--}" %s "$2" ;;
      esac
      shift
      ;;
    -*) fail "unknown option $1" ;;
    *) suites+=("$1") ;;
  esac
  shift
done
((${#suites[@]})) || fail "which suite? See --help"
((EUID == 0)) || fail "run it as root: it makes root file systems"
for program in debootstrap bwrap git; do
  command -v "$program" >/dev/null || fail "$program is not installed: apt-get install $program"
done
toolkit=$(readlink -f "$toolkit")
[[ -x $toolkit/bin/nvcc ]] || fail "there is no CUDA toolkit in $toolkit (--toolkit)"
if [[ -z $roots ]]; then
  roots=$(mktemp -d)
  trap 'rm -rf --one-file-system "$roots"' EXIT
fi
mkdir -p "$roots" "$logs"
roots=$(readlink -f "$roots") logs=$(readlink -f "$logs")

# make_root SUITE [NAME PACKAGES]: its root file system, unless it is there.
make_root() {
  local suite=$1 root=$roots/${2:-$1} from=$mirror packages=${3:-ca-certificates,git}
  [[ -e $root/made ]] && return
  if [[ -z $from ]]; then
    case $suite in
      focal | jammy | noble | questing | resolute) from=http://archive.ubuntu.com/ubuntu ;;
      *) from=http://deb.debian.org/debian ;;
    esac
  fi
  echo "$suite: making the root file system from $from" >&2
  debootstrap --variant=minbase --include="$packages${include:+,$include}" "$suite" \
    "$root" "$from" >"$logs/$suite-debootstrap.log" 2>&1 ||
    fail "debootstrap failed: see $logs/$suite-debootstrap.log"
  [[ $from != *ubuntu* ]] || echo "deb $from $suite main universe" >"$root/etc/apt/sources.list"
  [[ -z $snapshot ]] ||
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99snapshot"
  chroot "$root" useradd --create-home --shell /bin/bash student
  touch "$root/made"
}

# inside SUITE WHO FOLDER COMMAND…: in FOLDER of SUITE's root file system, as WHO. A chroot would not do:
# in one no namespaces can be made, and the sandbox needs some.
inside() {
  local root=$roots/$1 who=$2 folder=$3 user=()
  # The whole of /proc: a new one may be mounted in a namespace only where nothing of it is hidden.
  local container=(bwrap --bind "$root" / --dev /dev --bind /proc /proc --tmpfs /dev/shm
    --ro-bind "$toolkit" /usr/local/cuda --ro-bind /etc/resolv.conf /etc/resolv.conf
    --die-with-parent --chdir "$folder" --clearenv --setenv LANG C.UTF-8
    --setenv PATH /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  local variable
  for variable in "${environment[@]}"; do
    container+=(--setenv "${variable%%=*}" "${variable#*=}")
  done
  case $who in
    root) container+=(--setenv HOME /root --cap-add ALL) ;;
    user)
      container+=(--setenv HOME /home/student --unshare-net --cap-add ALL)
      user=(setpriv --reuid=student --regid=student --clear-groups)
      ;;
    confined)
      # Root's files are this user's own: it is root, mapped to a number without any rights.
      container+=(--setenv HOME /srv --unshare-net --unshare-user --disable-userns
        --uid "$(id_of "$1")" --gid "$(id_of "$1")")
      ;;
  esac
  "${container[@]}" -- "${user[@]}" "${@:4}"
}

id_of() { sed -n 's/^student:[^:]*:\([0-9]*\):.*/\1/p' "$roots/$1/etc/passwd"; }

# attempt SUITE WHO NAME EXPECTED COMMAND…: one line of the table.
attempt() {
  local suite=$1 who=$2 name=$3 expected=$4 log=$logs/$1-$2-$3.log status=0 start=$SECONDS result=ok
  echo "$suite: ${*:5} (as $who)" >&2
  inside "$suite" "$who" "$(course "$who")" "${@:5}" >"$log" 2>&1 </dev/null || status=$?
  ((status == expected)) || result="status $status"
  local said
  case $name in
    first | unpack) said="$(grep -c ' todo ' "$log" || true) todo" ;;
    solutions | solved) said="$(grep -c ' pass ' "$log" || true) pass, $(tail -n 1 "$log")" ;;
    test) said=$(grep ' tests passed' "$log" || true) ;;
  esac
  if [[ $who == confined ]]; then
    said+=", $(grep -c 'Warning: no sandbox' "$log" || true) warning"
  fi
  [[ $result == ok ]] || failed=1
  table+=("$(printf '%-28s %-9s %-10s %-10s %5d s  %s' "$(title "$suite")" "$who" "$name" \
    "$result" $((SECONDS - start)) "$said")")
  printf '%s\n' "${table[-1]}" >&2
}

title() { (. "$roots/$1/etc/os-release" && echo "${PRETTY_NAME/ GNU\/Linux/}"); }

course() {
  case $1 in
    root) echo /root/course ;;
    user) echo "/home/student/my course [1] (a)" ;;
    confined) echo /srv/course ;;
  esac
}

# What students get, on a machine that was never meant to build anything.
try_handout() {
  local bare=$1-handout archive=$logs/handout.tar.zst home
  [[ -e $archive ]] || "$tree/lab" handout "$archive" reduction >&2 || fail "there is no handout"
  make_root "$1" "$bare" g++,bubblewrap,zstd
  home=$roots/$bare$(course user)
  rm -rf "$home"
  mkdir -p "$home"
  cp "$archive" "$home/../handout.tar.zst"
  chown -R "$(id_of "$bare"):$(id_of "$bare")" "$roots/$bare/home/student"
  if inside "$bare" user / sh -c 'command -v cmake || command -v ninja' >&2; then
    fail "$roots/$bare has what a handout must do without"
  fi
  attempt "$bare" user unpack 1 taskset --cpu-list 0,1 sh -c \
    'tar --extract --strip-components=1 --file ../handout.tar.zst && ./lab grade reduction'
  cp "$tree"/solutions/reduction/*_*.cu "$home/labs/reduction/"
  attempt "$bare" user solved 0 taskset --cpu-list 0,1 ./lab grade reduction
}

table=() failed=
for suite in "${suites[@]}"; do
  [[ ,$run, != *,handout,* ]] || try_handout "$suite"
  [[ $run != handout ]] || continue
  make_root "$suite"
  for who in ${as//,/ }; do
    home=$roots/$suite$(course "$who")
    rm -rf "$home"
    git clone --quiet --no-hardlinks "$tree" "$home"
    [[ $who != user ]] || chown -R "$(id_of "$suite"):$(id_of "$suite")" "$home"
    for name in ${run//,/ }; do
      case $name in
        first) attempt "$suite" "$who" first 1 ./lab grade reduction ;;
        solutions)
          attempt "$suite" "$who" solutions 0 ./lab grade --solutions --device sim --json results.json
          cp "$home/results.json" "$logs/$suite-$who.json" || failed=1
          ;;
        test) attempt "$suite" "$who" test 0 ./lab test ;;
        handout) ;; # done above
        *) fail "--run $name: expected first, solutions, test or handout" ;;
      esac
    done
  done
done

printf '\n%-28s %-9s %-10s %-10s %7s\n' system as command result time
printf '%s\n' "${table[@]}"
results=("$logs"/*.json)
if [[ -e ${results[0]} ]]; then
  echo
  (cd "$logs" && sha256sum -- *.json | cut -c1-16,65-)
fi
[[ -z $failed ]]
