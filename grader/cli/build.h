// Builds what a command needs: with the build system that made this program, or, in a handout, whose
// programs are built, with the compilers alone (stage_builder.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridstride::cli {

/// Builds targets of the build folder and shows how far it is (on a terminal; one line in a pipe,
/// that says `what` is built).
///
/// `programs` are the course's own code: when one does not build, its compiler's words are shown
/// and std::runtime_error is thrown. `stages` are what students write, named relative to the build
/// folder ("stages/labs/reduction/3_sequential.so"): one that does not compile is no error here;
/// what its build leaves beside it says why (grader/compile/stage_files.h), and the grader makes a
/// verdict of it. Where the build leaves nothing, its own last words are left in that place.
///
/// The texts of the stages are taken from `handed_in` (grader/compile/intake.h). A stage whose library
/// is of another text after all is built once more, from nothing.
///
/// `gpu` is the compute capability, 90 for 9.0, that stages have code for in a handout; 0: the GPU's here, if there is
/// one. Elsewhere CMake's cache says it.
void build(const std::filesystem::path& folder, const std::string& what,
           const std::vector<std::string>& programs, const std::vector<std::string>& stages = {},
           const std::filesystem::path& handed_in = {}, int gpu = 0);

/// "stages/`kind`/…so" of those of `names` whose file in `handed_in` can be built; for the others the
/// grader has a verdict without that.
std::vector<std::string> stages_to_build(const std::string& kind,
                                         const std::vector<std::string>& names,
                                         const std::filesystem::path& handed_in);

}  // namespace gridstride::cli
