// Of tests: a page as a browser shows it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "common/subprocess.h"

namespace gridstride {

/// Chromium, in which pages are tested; empty where there is none.
inline std::filesystem::path test_browser() { return find_program("chromium"); }

/// Goes into a page's <head>. Runs before the page's own scripts, and leaves what was complained of on the
/// console, failed or was refused in the attribute data-complaints of the root.
constexpr std::string_view page_watcher = R"html(<script>
  const seen = (name, what) => {
    const root = document.documentElement;
    root.setAttribute("data-" + name, (root.getAttribute("data-" + name) || "") + what + ";");
  };
  for (const kind of ["error", "warn"]) console[kind] = (...words) => seen("complaints", words.join(" "));
  addEventListener("error", (event) => seen("complaints", event.message), true);
  addEventListener("unhandledrejection", (event) => seen("complaints", event.reason));
  addEventListener("securitypolicyviolation", (event) => seen("complaints", event.blockedURI));
</script>)html";

/// `page` with `text` behind its first `before`.
inline std::string with_inserted(std::string page, std::string_view before, std::string_view text) {
  const std::size_t at = page.find(before);
  if (at == std::string::npos) throw std::runtime_error("the page has no " + std::string(before));
  return page.insert(at + before.size(), text);
}

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
