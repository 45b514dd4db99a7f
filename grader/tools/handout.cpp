// lab handout: packs what students get. lab update: takes a newer one.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/text.h"
#include "grader/cli/build.h"
#include "grader/cli/output_file.h"
#include "grader/cli/stage_builder.h"
#include "grader/course/course.h"
#include "grader/handout/pack.h"
#include "grader/handout/update.h"
#include "grader/report/results.h"
#include "grader/tools/commands.h"

namespace gridstride::cli {
namespace fs = std::filesystem;

int handout(const Places& places, const HandoutOptions& options) {
  const fs::path archive = options.archive;
  if (!options.archive.ends_with(".tar.zst"))
    throw UsageError(
        "The archive's name ends in .tar.zst, and comes before the labs: ./lab handout "
        "course.tar.zst reduction");
  if (is_handed_out(places.build()))
    throw UsageError("This is a handout; one is packed from the course itself.");
  check_writable(options.archive);
  HandoutSource source{places.tree(), places.build(), {}};
  for (const Selection& selection :
       select(options.labs, lab_names(places.build()), places.tree())) {
    if (!selection.stages.empty())
      throw UsageError("A handout holds whole labs: name labs, not stages.");
    source.labs.push_back(selection.lab.name);
  }
  if (!options.no_build) {
    std::vector<std::string> targets = handout_programs();
    for (const std::string& lab : source.labs) targets.push_back("grader-" + lab);
    build(places.build(), "the graders", targets);
  }
  const TemporaryFolder folder;
  lay_out(source, folder.path());
  pack(folder.path(), archive);
  std::printf("%s holds %s: %s MiB\n", options.archive.c_str(), listed(source.labs).c_str(),
              plain_number(double(fs::file_size(archive)) / (1 << 20), 1).c_str());
  return exit_pass;
}

int update(const Places& places, const UpdateOptions& options) {
  const fs::path tree = places.tree();
  if (!is_handed_out(places.build()))
    throw UsageError(
        "This is the course itself, and no handout of it: bring it up to date with git.");
  const HandoutUpdate done = update_handout(tree, options.archive);
  for (const std::string& file : done.changed) std::printf("  new     %s\n", file.c_str());
  for (const std::string& file : done.kept) std::printf("  yours   %s\n", file.c_str());
  for (const auto& [file, beside] : done.conflicts)
    std::printf("  BOTH    %s: yours is kept, the new one is %s\n", file.c_str(), beside.c_str());
  if (!done.conflicts.empty())
    std::printf("Look at what is marked BOTH: you have changed it, and so has the course.\n");
  std::printf("The programs are those of %s now.\n",
              fs::path(options.archive).filename().string().c_str());
  return exit_pass;
}

}  // namespace gridstride::cli
