// A small made-up class: honest solutions, one copied under other names, and what must not be compared.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/subprocess.h"
#include "common/test_browser.h"
#include "grader/similar/likeness.h"
#include "grader/similar/own_text.h"
#include "grader/similar/reports.h"
#include "grader/similar/tester.h"

namespace gridstride {
namespace {

constexpr const char* skeleton = R"(// Counts bytes.
#include "labs/counts/counts.h"

namespace {
constexpr int bins = 256;

/// Adds the counts of in[0] … in[n - 1] to counts.
__global__ void count(const unsigned char* in, unsigned* counts, std::int64_t n) {
  // TODO(1): one histogram a block, in shared memory.
  // TODO(1) end
}
}  // namespace

void count_bytes(const unsigned char* in, unsigned* counts, std::int64_t n, cudaStream_t stream) {
  // TODO(2): how many blocks?
  const int blocks = 1;
  // TODO(2) end
  count<<<blocks, bins, 0, stream>>>(in, counts, n);
}
)";

/// The skeleton with its TODOs written.
std::string written(const std::string& kernel, const std::string& blocks) {
  std::string text = skeleton;
  const std::size_t second = text.find("  // TODO(2):");
  text.replace(second, text.find("// TODO(2) end\n") + 15 - second, blocks);
  const std::size_t first = text.find("  // TODO(1):");
  text.replace(first, text.find("// TODO(1) end\n") + 15 - first, kernel);
  return text;
}

const std::string ada = written(R"(
  __shared__ unsigned mine[bins];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  if (mine[threadIdx.x] > 0) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
)",
                                R"(
  int processors = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  const int blocks = n < bins ? 1 : 8 * processors;
)");

/// ada's under other names, laid out anew, with comments and a text of its own in the skeleton's lines.
constexpr const char* copied = R"(// All of this I wrote.
#include "labs/counts/counts.h"
namespace {
constexpr int nbins = 256;
__global__ void
  kernel(const unsigned char* data,
         unsigned* result, std::int64_t len)
{
  __shared__ unsigned hist[nbins];  // a histogram
  hist[threadIdx.x] = 0; __syncthreads();
  const std::int64_t jump = std::int64_t{gridDim.x} * blockDim.x;
  /* all bytes */
  for (std::int64_t pos = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       pos < len;
       pos += jump)
    atomicAdd(&hist[data[pos]], 1u);
  __syncthreads();
  if (hist[threadIdx.x] > 0)
    atomicAdd(&result[threadIdx.x],
              hist[threadIdx.x]);
}
}
void count_bytes(const unsigned char* data, unsigned* result, std::int64_t len, cudaStream_t s) {
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  const int grid = len < nbins ? 1 : 4 * sms;
  kernel<<<grid, nbins, 0, s>>>(data, result, len);
}
)";

const std::vector<std::string> honest = {
    written(R"(
  extern __shared__ unsigned unused[];
  __shared__ unsigned local[bins];
  int t = threadIdx.x;
  local[t] = 0u;
  __syncthreads();
  std::int64_t i = t + blockIdx.x * (std::int64_t)bins;
  while (i < n) {
    unsigned char byte = in[i];
    atomicAdd(local + byte, 1);
    i = i + (std::int64_t)gridDim.x * bins;
  }
  __syncthreads();
  unsigned sum = local[t];
  if (sum != 0) {
    atomicAdd(counts + t, sum);
  }
)",
            "  int blocks = (n + 4095) / 4096;\n  if (blocks < 1) blocks = 1;\n"),
    written(
        R"(
  __shared__ unsigned parts[8][bins];
  const int warp = threadIdx.x / 32;
  for (int b = threadIdx.x % 32; b < bins; b += 32) parts[warp][b] = 0;
  __syncwarp();
  const std::int64_t share = (n + gridDim.x - 1) / gridDim.x;
  const std::int64_t begin = blockIdx.x * share, end = begin + share < n ? begin + share : n;
  for (std::int64_t at = begin + threadIdx.x; at < end; at += blockDim.x) {
    const auto value = in[at];
    atomicAdd(&parts[warp][value], 1);
  }
  __syncthreads();
  unsigned all = 0;
  for (auto& part : parts) all += part[threadIdx.x];
  atomicAdd(&counts[threadIdx.x], all);
)",
        "  const int blocks = static_cast<int>(std::min<std::int64_t>(1024, n / 65536 + 1));\n"),
    written(R"(
  __shared__ unsigned s[bins];
  s[threadIdx.x] = 0;
  __syncthreads();
  const uint4* wide = reinterpret_cast<const uint4*>(in);
  for (std::int64_t v = blockIdx.x * blockDim.x + threadIdx.x; v < n / 16; v += gridDim.x * blockDim.x) {
    const uint4 four = wide[v];
    for (const unsigned word : {four.x, four.y, four.z, four.w})
      for (int shift = 0; shift < 32; shift += 8) atomicAdd(&s[word >> shift & 255], 1);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 16) atomicAdd(&s[in[n - 1 - threadIdx.x]], 1);
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], s[threadIdx.x]);
)",
            "  const int blocks = n >= 1 << 20 ? 264 : 16;\n"),
};

StageOfClass stage_of_class() {
  StageOfClass stage;
  stage.name = "1_first";
  stage.skeleton = skeleton;
  stage.solution = honest[1];
  stage.texts = {{"ada", ada},
                 {"bob", copied},
                 {"cy", honest[0]},
                 {"dora", honest[1]},
                 {"emil", honest[2]},
                 {"fay", skeleton},
                 {"gus", written("  counts[0] = n;\n", "")}};
  return stage;
}

LabLikeness compared() {
  return compare_class("counts", {stage_of_class()}, 10, [](const std::string&) {});
}

class Similar : public testing::Test {
 protected:
  void SetUp() override {
    if (find_program("sim_c++").empty())
      GTEST_SKIP() << "there is no sim_c++ (apt-get install similarity-tester)";
  }
};

TEST_F(Similar, ACopyUnderOtherNamesStandsFarAboveHonestWork) {
  const LabLikeness lab = compared();
  ASSERT_EQ(lab.most_alike.size(), 10u) << "five have written something";
  EXPECT_EQ(lab.pairs, 10u);
  const SimilarPair& best = lab.most_alike.front();
  EXPECT_EQ(best.first + " " + best.second, "ada bob");
  EXPECT_GE(best.percent, 95);
  for (std::size_t i = 1; i < lab.most_alike.size(); ++i)
    EXPECT_LE(lab.most_alike[i].percent, 50)
        << lab.most_alike[i].first << " " << lab.most_alike[i].second;
}

TEST_F(Similar, TheOverviewSaysWhatIsUsual) {
  const StageOverview stage = compared().stages.at(0);
  EXPECT_EQ(stage.texts, 5u);
  EXPECT_EQ(stage.too_short, 1u) << "gus";
  ASSERT_TRUE(stage.usual);
  EXPECT_LE(*stage.usual, 40u);
  EXPECT_EQ(stage.mostly_in_solution, std::vector<std::string>{"dora"}) << "it is the course's own";
  const LabLikeness lab = compared();
  for (const SimilarPair& pair : lab.most_alike) {
    if (pair.second == "dora") {
      EXPECT_EQ(pair.second_in_solution, 100.0);
    }
  }
}

TEST_F(Similar, WhatAllHaveTellsLessThanWhatTwoHave) {
  // In the first stage all are alike; in the second, longer one only cy and dora.
  StageOfClass easy = stage_of_class(), hard = stage_of_class();
  easy.texts = {{"ada", ada}, {"bob", copied}, {"cy", ada}, {"dora", copied}};
  hard.name = "2_second";
  hard.texts = {{"ada", honest[1]}, {"bob", honest[2]}, {"cy", ada}, {"dora", copied}};
  const LabLikeness lab = compare_class("counts", {easy, hard}, 3, [](const std::string&) {});
  ASSERT_EQ(lab.most_alike.size(), 3u);
  EXPECT_EQ(lab.most_alike[0].first + " " + lab.most_alike[0].second, "cy dora");
  EXPECT_EQ(most_telling(lab.most_alike[0], lab).stage, "2_second");
  EXPECT_GE(lab.stages[0].usual.value_or(0), 95u);
  EXPECT_GT(lab.most_alike[0].telling, 3 * lab.most_alike[1].telling);
}

/// Four have what the last hint shows; bob copied from ada.
TEST_F(Similar, WhatTheCourseGaveTellsNothing) {
  StageOfClass stage = stage_of_class();
  for (const char* student : {"hal", "ida", "jon"}) stage.texts[student] = honest[1];
  const LabLikeness lab = compare_class("counts", {stage}, 100, [](const std::string&) {});
  EXPECT_EQ(lab.most_alike.front().first + " " + lab.most_alike.front().second, "ada bob");
  int seen = 0;
  for (const SimilarPair& pair : lab.most_alike) {
    if (pair.first != "ida" || pair.second != "jon") continue;
    ++seen;
    EXPECT_EQ(pair.percent, 100);
    EXPECT_EQ(pair.telling, 0);
  }
  EXPECT_EQ(seen, 1);
  const std::string page = similar_page({{lab, {stage}}}, {});
  EXPECT_NE(page.find("<li>1_first: dora, hal, ida and jon</li>"), std::string::npos);
}

TEST_F(Similar, ReportsSayTheSame) {
  const std::string evil = "</td><script>document.title='acted'</script>";
  StageOfClass stage = stage_of_class();
  stage.texts["bob"] += "// " + evil + "\n";
  const LabLikeness lab = compare_class("counts", {stage}, 2, [](const std::string&) {});
  const std::vector<LabOfClass> labs = {{lab, {stage}}};
  const StudentNames names = {{"ada", "ada (Ada Lovelace)"}, {"bob", evil}};

  const nlohmann::json json = nlohmann::json::parse(to_similar_json(labs, names));
  const auto& pair = json.at("labs")[0].at("most_alike")[0];
  EXPECT_EQ(pair.at("students"), nlohmann::json({"ada", "bob"}));
  EXPECT_EQ(pair.at("stages")[0].at("percent"), lab.most_alike[0].stages[0].percent);
  EXPECT_EQ(json.at("labs")[0].at("most_alike").size(), 2u);

  const std::string table = similar_table(lab, names, {.color = false, .width = 160});
  EXPECT_NE(table.find("ada (Ada Lovelace)"), std::string::npos) << table;
  EXPECT_NE(table.find("usually alike"), std::string::npos) << table;

  const std::string page = similar_page(labs, names);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(page.find("https://"), std::string::npos);
  EXPECT_NE(page.find("href=\"#counts-1\""), std::string::npos);
  EXPECT_NE(page.find("id=\"counts-1\""), std::string::npos);
}

TEST_F(Similar, ThePageMarksTheSameLinesOnBothSides) {
  const std::string first = "int a;\nfor (int i = 0; i < 10; ++i) sum += in[i] * in[i + 1];\n";
  const auto alike = SimilarityTester().alike(first, "\n\n\n" + first);
  ASSERT_EQ(alike.size(), 1u);
  EXPECT_EQ(alike[0].first_begin, 1u);
  EXPECT_EQ(alike[0].first_end, 2u);
  EXPECT_EQ(alike[0].second_begin, 4u);
  EXPECT_EQ(alike[0].second_end, 5u);
}

TEST_F(Similar, ThePageIsRead) {
  if (test_browser().empty()) GTEST_SKIP() << "there is no chromium (apt-get install chromium)";
  const StageOfClass stage = stage_of_class();
  const std::vector<LabOfClass> labs = {{compared(), {stage}}};
  const TemporaryFolder folder;
  write_file(folder.path() / "page.html", similar_page(labs, {}));
  const std::string seen = document_of(folder.path() / "page.html", folder.path());
  EXPECT_NE(seen.find("<tr class=\"alike\"><td class=\"number\">10</td>"), std::string::npos)
      << seen;
  EXPECT_NE(seen.find("<details open=\"\">"), std::string::npos);
}

TEST(OwnText, IsWhatTheSkeletonLacks) {
  EXPECT_EQ(own_text(skeleton, skeleton).tokens, 0u);
  EXPECT_EQ(own_text("int a;\nint b;\n", "int a;\n\n// more\nint c = 1; int b;\n").text,
            "\n\n\nc = 1 ; int \n");
  EXPECT_EQ(own_text("void f(int n) { g(n); }", "void f(int count)\n{\n  g(count);\n}").tokens, 0u)
      << "names and layout are nobody's work";
}

TEST(OwnText, IsPlainWhateverWasHandedIn) {
  const std::string odd = "s = \"\x1b[2J" + std::string(200, 'z') +
                          "\"; c = '\xff'; \xc3\xa9t\xc3\xa9 = " + std::string(500, 'q') +
                          "; R\"(a\nb)\" \x01";
  EXPECT_EQ(own_text("", odd).text,
            "s = \"\" ; c = 'x' ; xxtxx = " + std::string(60, 'q') + " ; R \"\" \nx \n");
  EXPECT_EQ(own_text("", std::string("a\0b", 3)).text, "a x b \n");
}

TEST(SimilarityTesterMissing, TheRepairIsSaid) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  std::string said;
  try {
    const SimilarityTester tester;
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(said.find("apt-get install similarity-tester"), std::string::npos) << said;
}

}  // namespace
}  // namespace gridstride
