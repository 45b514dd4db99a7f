// What a CUDA source's text says, without compiling it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gridstride {

/// Whether a TODO is left, in a comment or elsewhere.
bool has_todo(const std::string& source);

struct Todo {
  std::size_t line = 0, column = 0;  ///< from 1; of the word TODO
  std::string text;                  ///< from there to the end of its line
};

/// The TODO to begin with. A place to write stands between a line "// TODO(1): …" and the line
/// "// TODO(1) end": the first such place that holds no code yet; where each holds some, or none has an
/// end, the first TODO of all.
std::optional<Todo> first_todo(const std::string& source);

struct IncludeDirective {
  std::size_t line = 0;
  std::string header;  ///< as it is spelt: "cub/cub.cuh"
};

/// Include directives that name their header, as far as a scanner sees them. Of a stage they word a
/// message and decide nothing: how a directive can be spelt, only the compiler knows
/// (forbidden_headers.h).
std::vector<IncludeDirective> include_directives(const std::string& source);

/// What a compiler sees of a text beside its layout and comments: words, numbers, literals, and each
/// other character alone.
struct SourceToken {
  std::string text;
  std::size_t line = 0;  ///< from 1
};
std::vector<SourceToken> tokens_of(const std::string& source);

}  // namespace gridstride
