// For Gradescope a zip of three files. It unpacks it to /autograder/source, runs setup.sh once, and
// run_autograder for each submission, which lies in /autograder/submission. For GitHub two folders, with the
// same scripts in an image of their own.
#include "grader/batch/autograder.h"

#include <archive.h>
#include <archive_entry.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "common/files.h"
#include "common/text.h"
#include "grader/batch/platform_files.h"
#include "grader/cli/build.h"
#include "grader/cli/command.h"
#include "grader/cli/output_file.h"
#include "grader/cli/stage_builder.h"
#include "grader/course/course.h"
#include "grader/handout/pack.h"
#include "grader/handout/places.h"
#include "grader/report/results.h"

namespace gridstride {
namespace fs = std::filesystem;
namespace {

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

constexpr std::size_t most_archive_bytes = std::size_t{1} << 30;

/// The lab that is named, built unless it is to be taken as it is.
std::string built_lab(const std::string& name, bool no_build, const cli::Places& places) {
  const auto selections = select({name}, lab_names(places.build()), places.tree());
  if (!selections.front().stages.empty())
    throw cli::UsageError("An autograder grades a whole lab: name a lab, not a stage.");
  const std::string lab = selections.front().lab.name;
  if (!no_build) {
    std::vector<std::string> targets = handout_programs();
    targets.push_back("grader-" + lab);
    cli::build(places.build(), "the grader", targets);
  }
  return lab;
}

/// The lab's handout, laid out in `folder`, which is made.
void lay_out_lab(const std::string& lab, const cli::Places& places, const fs::path& folder) {
  fs::create_directories(folder);
  lay_out({places.tree(), places.build(), {lab}}, folder);
}

/// As a registry takes it: "ghcr.io/owner/name", small letters, perhaps ":tag".
void check_image(const std::string& image) {
  constexpr std::string_view good = "abcdefghijklmnopqrstuvwxyz0123456789./_-:";
  if (image.find_first_not_of(good) != std::string::npos || image.find('/') == std::string::npos ||
      image.front() == '/' || image.back() == '/')
    throw cli::UsageError(
        "--image: expected a name such as ghcr.io/OWNER/reduction, in small letters, found '" +
        escaped(image) + "'.");
}

/// A new folder, or one that is there and empty.
void make_empty(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw std::runtime_error("--out: " + folder.string() + " cannot be made a folder.");
  if (!fs::is_empty(folder))
    throw cli::UsageError("--out: " + folder.string() + " is not empty. Name a new folder.");
}

void write_script(const fs::path& file, const std::string& text) {
  write_file(file, text);
  fs::permissions(file, fs::perms(0755));
}

}  // namespace

int export_gradescope(const GradescopeOptions& options) {
  const cli::Places places;
  if (options.archive.extension() != ".zip")
    throw cli::UsageError("--out: the archive's name ends in .zip, as Gradescope wants it.");
  cli::check_writable(options.archive.string());
  const std::string lab = built_lab(options.lab, options.no_build, places);
  const TemporaryFolder scratch;
  lay_out_lab(lab, places, scratch.path() / "handout");
  pack(scratch.path() / "handout", scratch.path() / "course.tar.zst");
  const fs::path made = scratch.path() / "autograder.zip";
  ZipWriter zip(made);
  zip.add("setup.sh", setup_script(), 0755);
  zip.add("run_autograder", gradescope_script(lab), 0755);
  zip.add("course.tar.zst", read_file(scratch.path() / "course.tar.zst", most_archive_bytes), 0644);
  zip.close();
  cli::write_output(options.archive.string(), read_file(made, most_archive_bytes));
  std::printf(
      "%s grades %s: %s MiB. Upload it to Gradescope as the assignment's autograder; base image "
      "Ubuntu 22.04 or 24.04.\n",
      options.archive.c_str(), lab.c_str(),
      plain_number(static_cast<double>(fs::file_size(made)) / (1 << 20), 1).c_str());
  return exit_pass;
}

int export_github(const GithubOptions& options) {
  const cli::Places places;
  check_image(options.image);
  make_empty(options.folder);
  const std::string lab = built_lab(options.lab, options.no_build, places);
  const fs::path grader = options.folder / "grader", students = options.folder / "students";
  const TemporaryFolder scratch;
  lay_out_lab(lab, places, scratch.path());

  fs::create_directories(grader / ".github/workflows");
  pack(scratch.path(), grader / "course.tar.zst");
  write_file(grader / "Dockerfile", grader_dockerfile(lab, options.image));
  write_script(grader / "setup.sh", setup_script());
  write_script(grader / "run_autograder", gradescope_script(lab));
  write_script(grader / "run_on_github", github_script(lab));
  write_file(grader / ".github/workflows/image.yml", image_workflow(options.image));

  fs::copy(scratch.path() / handout_top, students, fs::copy_options::recursive);
  // The programs are part of the repository, so that who clones it can grade.
  write_file(students / ".gitignore", "/.lab/\n/compile_commands.json\n/steps.html\n");
  fs::create_directories(students / ".github/workflows");
  write_file(students / ".github/workflows/classroom.yml", grading_workflow(lab, options.image));
  write_file(options.folder / "README.md", github_readme(lab, options.image));
  std::printf(
      "%s has two folders, grader and students, each to become a repository: its README.md says "
      "how.\n",
      options.folder.c_str());
  return exit_pass;
}

}  // namespace gridstride
