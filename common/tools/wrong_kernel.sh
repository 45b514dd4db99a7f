#!/usr/bin/env bash
# Wrong kernels that are kept as a diff against a stage: makes the kernel, and makes or mends the diff.
#
#   wrong_kernel.sh make PATCH FILE.cu      writes the kernel; what the build runs
#   wrong_kernel.sh edit LAB/NAME [STAGE]   opens the kernel in $VISUAL or $EDITOR, then writes
#                                           solutions/LAB/wrong/NAME.patch
#
# STAGE, such as 3_sequential, is what a new patch is against, and what its kernel starts from unless
# there is a solutions/LAB/wrong/NAME.cu, which the patch then replaces. Where a patch no longer
# applies, the editor shows what it wanted to change between <<<<<<< and >>>>>>>. EDITOR=true only
# diffs anew.
set -euo pipefail
root=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")

# fail LINE…
fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

# What a patch is against, as its line "--- solutions/LAB/STAGE.cu" says.
stage_of() { sed -n '/^--- /{s///p;q}' "$1"; }

# patched STAGE PATCH FILE OPTION…: asks nothing, and writes nothing but FILE.
patched() {
  LC_ALL=C patch "${@:4}" --force --no-backup-if-mismatch --read-only=ignore \
    --reject-file=- --output="$3" -- "$root/$1" "$2"
}

make_kernel() {
  local from=/$1 kernel=$2 name stage said repair
  name=solutions/${from##*/solutions/}
  repair="Repair: common/tools/wrong_kernel.sh edit $(cut -d/ -f2 <<<"$name")/$(basename "$name" .patch)"
  rm -f "$kernel" # what fails must not leave an older one
  stage=$(stage_of "$1")
  [[ -n $stage ]] ||
    fail "$name has no line '--- solutions/LAB/STAGE.cu', which says what it is against." "$repair STAGE"
  [[ -f $root/$stage ]] || fail "$name is against $stage, which is not there." "$repair STAGE"
  # Lines may have moved. Fuzz would also take a place that is only like the one that was meant.
  if ! said=$(patched "$stage" "$1" "$kernel.new" --fuzz=0 2>&1); then
    rm -f "$kernel.new"
    said=$(grep -v '^patching file ' <<<"$said" || true)
    fail "$name does not apply to $stage. One of them has changed:" "$said" "$repair"
  fi
  chmod "=rw" "$kernel.new" # for whom umask says; patch makes it the user's own
  mv "$kernel.new" "$kernel"
}

edit_kernel() {
  local lab=${1%/*} name=${1##*/} home patch whole stage from folder text status=0 # of patch, then of diff
  home=solutions/$lab/wrong
  patch=$root/$home/$name.patch
  whole=$root/$home/$name.cu
  [[ -d $root/$home ]] || fail "There is no folder $home."
  if (($# > 1)); then
    stage=solutions/$lab/$2.cu
    [[ $2 != 0_baseline ]] || stage=labs/$lab/$2.cu
  else
    [[ -f $patch ]] || fail "There is no $home/$name.patch: name the stage that it is to be against."
    stage=$(stage_of "$patch")
  fi
  [[ -f $root/$stage ]] || fail "There is no stage '$stage'."

  folder=$(mktemp -d)
  text=$folder/$name.cu
  if [[ -f $patch ]]; then
    from=$(stage_of "$patch")
    [[ -f $root/$from ]] || from=$stage
    patched "$from" "$patch" "$text" --silent --merge || status=$? # 1: what did not apply stands in it
    ((status <= 1)) || fail "$home/$name.patch is not a diff that patch can read."
  elif [[ -f $whole ]]; then
    cat "$whole" >"$text"
  else
    cat "$root/$stage" >"$text"
  fi
  # shellcheck disable=SC2086 # an editor may have options
  ${VISUAL:-${EDITOR:-vi}} "$text"
  ! grep -q '^\(<<<<<<<\|>>>>>>>\)' "$text" ||
    fail "Nothing is written: <<<<<<< or >>>>>>> is still in the kernel. It is kept in $text."
  status=0
  diff -u --suppress-blank-empty --label "$stage" --label "$home/$name.cu" "$root/$stage" "$text" \
    >"$folder/diff" || status=$?
  ((status == 1)) || fail "Nothing is written: the kernel is $stage itself. It is kept in $text."
  { # what an author has written above the diff stays
    [[ ! -f $patch ]] || sed '/^\(---\|@@\) /Q' "$patch"
    cat "$folder/diff"
  } >"$folder/patch"
  cat "$folder/patch" >"$patch"
  rm -rf "$folder" "$whole"
  echo "Wrote $home/$name.patch against $stage."
}

case "${1:-} $#" in
  "make 3") make_kernel "$2" "$3" ;;
  "edit 2" | "edit 3") edit_kernel "${@:2}" ;;
  *)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
