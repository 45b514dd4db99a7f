// What one student handed in, whatever it came in: the data that intake makes and the gradebook keeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridstride {

/// Where submissions come from, which says how their names are to be read.
enum class Platform : std::uint8_t { folder, moodle, canvas, gradescope, classroom };
/// "folder" …, as in the gradebook.
const char* name_of(Platform platform);
std::optional<Platform> platform_named(const std::string& name);

struct Student {
  std::string id;      ///< what one names the student by, each its own; no control characters
  std::string name;    ///< for people; may be the same as `id`
  std::string number;  ///< the platform's own: Moodle's participant, Canvas' user; may be empty
  std::string email;   ///< may be empty
};

/// What stands under a stage's name.
struct StageFile {
  /// The kinds that are no text are kept as kinds: the judge says what it thinks of them.
  enum class Kind : std::uint8_t { plain, link, folder, fifo, too_large };
  std::string lab, stage;
  Kind kind = Kind::plain;
  std::string text;  ///< byte for byte; empty unless plain
};
const char* name_of(StageFile::Kind kind);
std::optional<StageFile::Kind> kind_named(const std::string& name);

struct Submission {
  Student student;
  Platform platform = Platform::folder;
  std::string origin;                ///< the folder, archive or repository, fit to be shown
  bool late = false;                 ///< the platform says so, or it came after the time given
  std::string handed_in;             ///< when, as the platform says; empty when unknown
  std::vector<StageFile> files;      ///< by lab and stage, each once
  std::vector<std::string> ignored;  ///< other files' names, fit to be shown, a hundred at most
  std::vector<std::string> remarks;  ///< what is to be said of it, sentences
};

}  // namespace gridstride
