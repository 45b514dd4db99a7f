// The bar, and the signals that stop it.
#include "grader/batch/progress_report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "common/terminal.h"
#include "common/text.h"

namespace gridstride {
namespace {

std::string time_left(double seconds) {
  if (seconds < 90) return plain_number(std::ceil(seconds), 0) + " s left";
  if (seconds < 5400) return plain_number(std::ceil(seconds / 60), 0) + " min left";
  return plain_number(seconds / 3600, 1) + " h left";
}

}  // namespace

std::string progress_line(const ClassProgress& progress, std::int64_t finished, double seconds,
                          std::size_t width) {
  const std::int64_t total = std::max<std::int64_t>(progress.total(), 1);
  std::string words = std::to_string(progress.done) + " of " + std::to_string(progress.total()) +
                      ", " + std::to_string(100 * progress.done / total) + " %";
  const std::int64_t left = progress.total() - progress.done;
  if (left > 0)
    words +=
        finished == 0
            ? ", the first is being graded"
            : ", " + time_left(seconds / static_cast<double>(finished) * static_cast<double>(left));
  constexpr std::size_t widest = 40;
  if (width < display_width(words) + 10) return words;
  const std::size_t room = std::min(widest, width - display_width(words) - 4);
  const std::size_t full =
      room * static_cast<std::size_t>(progress.done) / static_cast<std::size_t>(total);
  std::string bar(full, '=');
  if (full < room) bar += '>' + std::string(room - full - 1, ' ');
  return "[" + bar + "] " + words;
}

ProgressReport::ProgressReport(Gradebook& book)
    : book_(book), begun_(std::chrono::steady_clock::now()) {
  book_.finished_since(place_);
}

void ProgressReport::tell(bool must) {
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < std::chrono::seconds(1) && !must) return;
  told_ = now;
  for (const Finished& one : book_.finished_since(place_)) {
    ++finished_;
    if (!is_terminal(stderr))
      std::fprintf(stderr, "%s/%s: %s of %s\n", escaped(one.student).c_str(), one.lab.c_str(),
                   plain_number(one.score).c_str(), plain_number(one.max_score).c_str());
  }
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  status_.show(progress_line(book_.progress(), finished_, seconds, style_of(stderr).width));
}

}  // namespace gridstride
