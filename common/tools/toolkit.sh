#!/usr/bin/env bash
# Prints the commands that install the smallest part of NVIDIA's CUDA toolkit which compiles the course:
# the compiler, the runtime's headers and stubs, and CUB. The whole toolkit has several gigabytes more.
#
#   toolkit.sh
#
# One command a line, as a shell takes it, one after the other, with sudo where it is needed. Nothing, and
# status 1, on a system that toolkit.txt does not list.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")

# field NAME: a value of os-release.
field() { sed -n "s/^$1=\"\\{0,1\\}\\([^\"]*\\)\"\\{0,1\\}\$/\\1/p" /etc/os-release | head -n 1; }

id=$(field ID) version=$(field VERSION_ID)
read -r folder release < <(awk -v id="$id" -v version="$version" '
  BEGIN { split(version, parts, ".") }
  $1 == id && ($2 == version || $2 == parts[1]) { print $3, $4; exit }' "$here/toolkit.txt") || exit 1
[[ $(uname -m) == x86_64 ]] || exit 1

sudo=
if ((EUID != 0)); then sudo="sudo "; fi
repository=https://developer.download.nvidia.com/compute/cuda/repos/$folder/x86_64
case $folder in
  debian* | ubuntu*)
    cat <<TEXT
${sudo}apt-get update
${sudo}apt-get install --yes --no-install-recommends ca-certificates wget
keyring=\$(mktemp --suffix .deb)
wget --output-document "\$keyring" $repository/cuda-keyring_1.1-1_all.deb
${sudo}dpkg --install "\$keyring"
rm "\$keyring"
${sudo}apt-get update
${sudo}apt-get install --yes --no-install-recommends g++ cuda-nvcc-$release cuda-cudart-dev-$release cuda-cccl-$release
TEXT
    ;;
  fedora* | rhel*)
    cat <<TEXT
${sudo}curl --fail --location --output /etc/yum.repos.d/cuda-$folder.repo $repository/cuda-$folder.repo
${sudo}dnf install --assumeyes gcc-c++ cuda-nvcc-$release cuda-cudart-devel-$release cuda-cccl-$release
TEXT
    ;;
  opensuse*)
    cat <<TEXT
${sudo}zypper addrepo $repository/cuda-$folder.repo
${sudo}zypper --gpg-auto-import-keys refresh
${sudo}zypper --non-interactive install gcc-c++ cuda-nvcc-$release cuda-cudart-devel-$release cuda-cccl-$release
TEXT
    ;;
esac
