// The page in a real browser: the plot is drawn, nothing complains, nothing is asked of the
// network.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/files.h"
#include "common/simulator/explain/explained.h"
#include "common/simulator/explain/sample.h"
#include "common/test_browser.h"

namespace gridstride::sim {
namespace {

/// Leaves what it saw in attributes of the page's root.
constexpr std::string_view observer = R"html(<script>
  addEventListener("load", () => setTimeout(() => {
    const root = document.documentElement;
    root.setAttribute("data-requests", performance.getEntriesByType("resource").length);
    root.setAttribute("data-overflow", document.body.scrollWidth > innerWidth);
    for (const canvas of document.querySelectorAll("canvas")) {
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      let painted = 0;
      for (let i = 3; i < pixels.length; i += 4) painted += pixels[i] > 0;
      canvas.setAttribute("data-painted", painted > 1000 ? "much" : "little");
    }
    seen("finished", "yes");
  }, 200));
</script>)html";

class BrowserTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test_browser().empty()) GTEST_SKIP() << "needs chromium (apt-get install chromium)";
  }

  /// The page as it stands once its scripts have run, in a window of `width` pixels.
  std::string opened(std::string page, int width, bool dark = false) {
    page =
        with_inserted(std::move(page), "<head>", std::string(page_watcher) + std::string(observer));
    const std::filesystem::path file = folder_.path() / "page.html";
    write_file(file, page);
    std::vector<std::string> options = {"--window-size=" + std::to_string(width) + ",900",
                                        "--virtual-time-budget=5000"};
    if (dark) options.emplace_back("--blink-settings=preferredColorScheme=0");
    return document_of(file, folder_.path(), options);
  }

  TemporaryFolder folder_;
};

Explained with_arithmetic() {
  Explained one = sample_explained();
  one.report["kernels"][0]["achieved"]["flops"] = 4'000'000;
  one.report["kernels"][0]["kernel"] = "evil</script><script>console.error('acts')</script>(int)";
  return one;
}

bool holds(const std::string& dom, const std::string& text) {
  return dom.find(text) != std::string::npos;
}

void expect_well(const std::string& dom) {
  // Of the root element only: the watcher's own text holds the same words.
  const std::string root = dom.substr(0, dom.find("<head>"));
  EXPECT_TRUE(holds(root, "data-finished=\"yes;\"")) << dom.substr(0, 2000);
  EXPECT_TRUE(holds(root, "data-requests=\"0\"")) << root;
  EXPECT_FALSE(holds(root, "data-complaints")) << root;
}

TEST_F(BrowserTest, DrawsThePlotOfEachStage) {
  const std::string dom = opened(to_page({with_arithmetic(), with_arithmetic()}), 1100);
  expect_well(dom);
  std::size_t drawn = 0;
  for (auto at = dom.find("data-painted=\"much\""); at != std::string::npos;
       at = dom.find("data-painted=\"much\"", at + 1)) {
    ++drawn;
  }
  EXPECT_EQ(drawn, 2u);
  // Two roofs of three corners, and a point for each of the two memories.
  EXPECT_TRUE(holds(dom, "data-drawn=\"8\""));
}

TEST_F(BrowserTest, FitsAPhone) {
  const std::string dom = opened(to_page({with_arithmetic()}), 500);
  expect_well(dom);
  EXPECT_TRUE(holds(dom.substr(0, dom.find("<head>")), "data-overflow=\"false\""));
}

TEST_F(BrowserTest, DrawsInTheDark) {
  const std::string dom = opened(to_page({with_arithmetic()}), 1100, /*dark=*/true);
  expect_well(dom);
  EXPECT_TRUE(holds(dom, "data-painted=\"much\""));
}

TEST_F(BrowserTest, AComplaintWouldBeSeen) {
  std::string page = to_page({with_arithmetic()});
  page.insert(page.find("</body>"), "<img src=\"http://example.invalid/x.png\" alt=\"\">");
  const std::string dom = opened(page, 1100);
  EXPECT_TRUE(holds(dom.substr(0, dom.find("<head>")), "data-complaints"));
}

}  // namespace
}  // namespace gridstride::sim
