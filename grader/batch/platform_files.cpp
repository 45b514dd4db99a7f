// Texts with places for the lab's and the image's name.
#include "grader/batch/platform_files.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace gridstride {
namespace {

/// The container needs nothing of the CUDA toolkit but its compiler and what that includes.
constexpr std::string_view setup = R"sh(#!/usr/bin/env bash
# Makes the image: once, with a network, as root.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install --yes --no-install-recommends ca-certificates g++ zstd tar bubblewrap
cd /autograder/source
tar --zstd -xf course.tar.zst
gridstride/lab --install-toolkit
gridstride/lab doctor || true
)sh";

constexpr std::string_view gradescope = R"sh(#!/usr/bin/env bash
# Grades one submission, as root.
#
# Where something could not be graded, which is no student's fault, there are no results: Gradescope then
# says that the autograder failed, and an instructor starts it again.
set -uo pipefail
results=/autograder/results/results.json
mkdir -p /autograder/results
rm -f "$results"
cd /autograder/source/gridstride
status=0
./lab grade @LAB@ --from /autograder/submission --device sim --gradescope "$results.new" || status=$?
if ((status > 1)); then
  rm -f "$results.new"
  echo "It could not be graded: see above. No points were given or taken."
  exit 1
fi
mv "$results.new" "$results"
)sh";

constexpr std::string_view github = R"sh(#!/usr/bin/env bash
# Grades the repository that a job of GitHub Actions has checked out. The step's output `result` has what
# GitHub Classroom's graders hand on.
#
# Where something could not be graded, which is no student's fault, there is no result, and the job fails
# with words that say so.
set -uo pipefail
results=$(mktemp)
trap 'rm -f "$results"' EXIT
submission=$GITHUB_WORKSPACE
if [[ -d $submission/labs ]]; then submission=$submission/labs; fi
status=0
"$(dirname "$(readlink -f "$0")")"/gridstride/lab grade @LAB@ --from "$submission" --device sim \
  --format github --classroom "$results" || status=$?
if ((status > 1)); then
  echo "::error title=Not graded::It could not be graded, which is nobody's fault here: the log says why. \
No points were given or taken. Run the job again."
  exit 1
fi
echo "result=$(base64 --wrap=0 "$results")" >>"$GITHUB_OUTPUT"
exit "$status"
)sh";

constexpr std::string_view dockerfile = R"(# An image that grades @LAB@ on the simulated GPU.
#
#   docker build -t @IMAGE@ .
#
# For Gradescope, as an image of its own in place of an uploaded archive:
#
#   docker build --build-arg BASE=gradescope/autograder-base:ubuntu-22.04 -t NAME .
#
# Pack on a system that is no newer than BASE: the programs need the C library of the machine that packs,
# or a newer one.
ARG BASE=ubuntu:24.04
FROM ${BASE}

COPY course.tar.zst setup.sh run_autograder run_on_github /autograder/source/
RUN bash /autograder/source/setup.sh \
 && install -m 755 /autograder/source/run_autograder /autograder/run_autograder \
 && chmod 755 /autograder/source/run_on_github \
 && rm -rf /var/lib/apt/lists/* /autograder/source/course.tar.zst

ENV PATH=/usr/local/cuda/bin:$PATH
)";

constexpr std::string_view image_yml = R"(# Makes the image that grades, and keeps it as @IMAGE@.
name: Image
on:
  push:
    branches: [main]
  workflow_dispatch:
permissions:
  contents: read
  packages: write
jobs:
  image:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Log in
        run: echo "$TOKEN" | docker login ghcr.io --username "$GITHUB_ACTOR" --password-stdin
        env:
          TOKEN: ${{ secrets.GITHUB_TOKEN }}
      - name: Build
        run: docker build --tag @IMAGE@ .
      - name: Push
        run: docker push @IMAGE@
)";

// The names of the workflow and of its job are those that collectors of GitHub Classroom's points look for.
constexpr std::string_view grading_yml = R"(# Grades @LAB@ at each push.
name: Autograding Tests
on: [push, workflow_dispatch]
permissions:
  contents: read
  packages: read
concurrency:
  group: ${{ github.workflow }}-${{ github.ref }}
  cancel-in-progress: true
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    timeout-minutes: 60
    container:
      image: @IMAGE@
      credentials:
        username: ${{ github.actor }}
        password: ${{ secrets.GITHUB_TOKEN }}
      # What bubblewrap needs to make namespaces.
      options: >-
        --security-opt seccomp=unconfined
        --security-opt apparmor=unconfined
        --security-opt systempaths=unconfined
    steps:
      - uses: actions/checkout@v4
      - name: Grade @LAB@
        id: grade
        run: /autograder/source/run_on_github
)";

constexpr std::string_view readme = R"(# @LAB@ on GitHub

Two folders, each to become a repository:

1. `grader`, your own and private. Push it to its branch `main`: its workflow makes the image @IMAGE@.
   The owner in that name must be the repository's.
2. `students`, the template that students' repositories are made from: the course as `./lab handout` has it, and
   the workflow that grades at each push, in that image.

Students' repositories must be allowed to read the image: make the package public (it holds no solutions), or
give them access in its settings.
)";

std::string filled(std::string_view text, const std::string& lab, const std::string& image = "") {
  std::string out(text);
  const auto put = [&out](std::string_view place, const std::string& value) {
    for (std::size_t at = 0; (at = out.find(place, at)) != std::string::npos; at += value.size())
      out.replace(at, place.size(), value);
  };
  put("@LAB@", lab);
  put("@IMAGE@", image);
  return out;
}

}  // namespace

std::string setup_script() { return std::string(setup); }
std::string gradescope_script(const std::string& lab) { return filled(gradescope, lab); }
std::string github_script(const std::string& lab) { return filled(github, lab); }
std::string grader_dockerfile(const std::string& lab, const std::string& image) {
  return filled(dockerfile, lab, image);
}
std::string image_workflow(const std::string& image) { return filled(image_yml, "", image); }
std::string grading_workflow(const std::string& lab, const std::string& image) {
  return filled(grading_yml, lab, image);
}
std::string github_readme(const std::string& lab, const std::string& image) {
  return filled(readme, lab, image);
}

}  // namespace gridstride
