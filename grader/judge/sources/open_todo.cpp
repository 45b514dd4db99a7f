// The scanner finds it (common/source_text.h); here it gets its file's name.
#include "grader/judge/sources/open_todo.h"

#include <optional>
#include <string>

#include "common/source_text.h"
#include "common/text.h"

namespace gridstride {

std::optional<Remark> open_todo(const StageTask& task) {
  const auto todo = first_todo(task.source_text);
  if (!todo) return std::nullopt;
  Remark remark;
  remark.kind = Remark::Kind::todo;
  remark.file = task.source.filename().string();
  remark.line = static_cast<int>(todo->line);
  remark.column = static_cast<int>(todo->column);
  remark.text = shorten(clean_text(todo->text), 100);
  if (remark.text.ends_with('.')) remark.text.pop_back();  // the sentence has its own
  return remark;
}

std::string words_about(const Remark& todo) {
  return todo.file + ":" + std::to_string(todo.line) + " still has " + in_quotes(todo.text) + ".";
}

}  // namespace gridstride
