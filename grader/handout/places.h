// Where things are in what students are handed, by their paths from its top.
#pragma once

namespace gridstride {

/// The folder in which an archive holds everything.
inline constexpr const char* handout_top = "gridstride";

/// Says that a tree was handed out, and of what the programs need of a machine.
inline constexpr const char* handout_manifest = "handout.json";

/// What is ready to use and no student edits: in place of a build folder. It holds bin/, lib/, labs.txt,
/// contracts/, licences/, texts/ and
/// compile_commands.json.
inline constexpr const char* handed_out_build = "ready";

/// What editors read: at the top of a course, and without its place in `ready/` (editor.h).
inline constexpr const char* editor_commands = "compile_commands.json";

/// Every other file as it was packed, under its path: what a student has changed differs from it.
inline constexpr const char* handed_out_texts = "ready/texts";

}  // namespace gridstride
