// Of tests: a page as a browser shows it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/subprocess.h"

namespace gridstride {

/// Chromium, in which pages are tested; empty where there is none.
inline std::filesystem::path test_browser() { return find_program("chromium"); }

/// What stands in the document of `page` once its scripts have run, as HTML. `scratch` is a folder for the
/// browser's own files; `options` are more of its options.
inline std::string document_of(const std::filesystem::path& page,
                               const std::filesystem::path& scratch,
                               const std::vector<std::string>& options = {}) {
  Subprocess process;
  process.command = {"timeout",
                     "60",
                     test_browser().string(),
                     "--headless=new",
                     "--no-sandbox",
                     "--disable-gpu",
                     "--disable-dev-shm-usage",
                     "--no-first-run",
                     "--disable-background-networking",
                     "--user-data-dir=" + (scratch / "profile").string(),
                     "--dump-dom"};
  process.command.insert(process.command.end(), options.begin(), options.end());
  process.command.push_back("file://" + page.string());
  process.hide_errors = true;
  std::string document;
  process.on_line = [&document](std::string_view line) { document += std::string(line) + "\n"; };
  run_process(process);
  return document;
}

}  // namespace gridstride
