// A zip of three files. Gradescope unpacks it to /autograder/source, runs setup.sh once, and run_autograder
// for each submission, which lies in /autograder/submission.
#include "grader/batch/autograder.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/files.h"
#include "common/text.h"
#include "grader/cli/build.h"
#include "grader/cli/command.h"
#include "grader/cli/output_file.h"
#include "grader/cli/stage_builder.h"
#include "grader/course/course.h"
#include "grader/handout/pack.h"
#include "grader/report/results.h"

namespace gridstride {
namespace fs = std::filesystem;
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

constexpr std::string_view run = R"sh(#!/usr/bin/env bash
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

struct Free {
  void operator()(archive* writer) const { archive_write_free(writer); }
};

/// The same files give the same bytes.
class ZipWriter {
 public:
  explicit ZipWriter(const fs::path& file) : writer_(archive_write_new()) {
    check(archive_write_set_format_zip(writer_.get()));
    check(archive_write_open_filename(writer_.get(), file.c_str()));
  }
  void add(const std::string& name, std::string_view bytes, unsigned mode) {
    const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                              archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), mode);
    archive_entry_set_mtime(entry.get(), 946'684'800, 0);  // 2000-01-01, as in a handout
    check(archive_write_header(writer_.get(), entry.get()));
    if (archive_write_data(writer_.get(), bytes.data(), bytes.size()) < 0) check(ARCHIVE_FATAL);
  }
  void close() { check(archive_write_close(writer_.get())); }

 private:
  void check(int code) const {
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
      throw std::runtime_error(std::string("The archive cannot be written: ") +
                               archive_error_string(writer_.get()));
  }

  std::unique_ptr<archive, Free> writer_;
};

std::string for_lab(std::string_view script, const std::string& lab) {
  std::string text(script);
  constexpr std::string_view place = "@LAB@";
  text.replace(text.find(place), place.size(), lab);
  return text;
}

}  // namespace

int export_gradescope(const GradescopeOptions& options) {
  const cli::Places places;
  if (options.archive.extension() != ".zip")
    throw cli::UsageError("--out: the archive's name ends in .zip, as Gradescope wants it.");
  cli::check_writable(options.archive.string());
  const auto selections = select({options.lab}, lab_names(places.build()), places.tree());
  if (!selections.front().stages.empty())
    throw cli::UsageError("An autograder grades a whole lab: name a lab, not a stage.");
  const std::string& lab = selections.front().lab.name;
  if (!options.no_build)
    cli::build(places.build(), "the grader",
               {"gridstride", "gridstride-gpu-device", "grader-" + lab});
  const TemporaryFolder scratch;
  fs::create_directories(scratch.path() / "handout");
  lay_out({places.tree(), places.build(), {lab}}, scratch.path() / "handout");
  pack(scratch.path() / "handout", scratch.path() / "course.tar.zst");
  const fs::path made = scratch.path() / "autograder.zip";
  ZipWriter zip(made);
  zip.add("setup.sh", setup, 0755);
  zip.add("run_autograder", for_lab(run, lab), 0755);
  constexpr std::size_t most_bytes = std::size_t{1} << 30;
  zip.add("course.tar.zst", read_file(scratch.path() / "course.tar.zst", most_bytes), 0644);
  zip.close();
  cli::write_output(options.archive.string(), read_file(made, most_bytes));
  std::printf(
      "%s grades %s: %s MiB. Upload it to Gradescope as the assignment's autograder; base image "
      "Ubuntu 22.04 or 24.04.\n",
      options.archive.c_str(), lab.c_str(),
      plain_number(static_cast<double>(fs::file_size(made)) / (1 << 20), 1).c_str());
  return exit_pass;
}

}  // namespace gridstride
