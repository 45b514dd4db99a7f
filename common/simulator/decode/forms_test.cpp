// The table of instruction forms (testdata/forms.txt): each is decoded, or refused by its name.
#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "common/simulator/base/unsupported.h"
#include "common/simulator/exec/test_grid.h"

namespace gridstride::sim {
namespace {

struct Form {
  std::string text;
  bool refused = false;
  std::string name() const { return text.substr(0, text.find_first_of(" ;")); }
  std::string opcode() const { return text.substr(0, text.find_first_of(". ;")); }
};

std::vector<Form> forms() {
  std::ifstream lines(GRIDSTRIDE_FORMS);
  EXPECT_TRUE(lines.good()) << GRIDSTRIDE_FORMS;
  std::vector<Form> all;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const bool refused = line.starts_with("! ");
    all.push_back({refused ? line.substr(2) : line, refused});
  }
  return all;
}

/// What is said of a kernel with this instruction, or nothing when it is known.
std::string objection(const Form& form) {
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n"
      ".global .align 16 .b8 words[64];\n.const .align 16 .b8 fixed[64];\n"
      ".visible .entry k(.param .align 16 .b64 p0, .param .b32 n0)\n{\n"
      ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<40>; .reg .b64 %rd<40>;\n"
      ".reg .f32 %f<40>; .reg .f64 %fd<40>;\n"
      ".shared .align 16 .b8 tile[64]; .local .align 16 .b8 own[64];\n" +
      form.text + ";\nret;\n}\n";
  TestGrid gpu(text);
  // A grid without blocks is refused like any other, and does nothing.
  try {
    gpu.request.kernel = 0;
    gpu.request.grid = {0};
    gpu.request.block = {32};
    run_grid(gpu.request, gpu.memory, gpu.l2);
    return "";
  } catch (const Unsupported& error) {
    return error.what();
  }
}

TEST(Forms, AreDecodedOrRefusedByName) {
  for (const Form& form : forms()) {
    std::string said;
    try {
      said = objection(form);
    } catch (const std::exception& error) {
      said = error.what();
      EXPECT_TRUE(form.refused) << form.text << "\n  " << said;
    }
    if (form.refused) {
      EXPECT_NE(said.find(form.name()), std::string::npos) << form.text << "\n  " << said;
    } else {
      EXPECT_EQ(said, "") << form.text;
    }
  }
}

TEST(Forms, TableIsWorthIt) {
  std::set<std::string> names, opcodes;
  std::size_t refused = 0;
  for (const Form& form : forms()) {
    EXPECT_TRUE(names.insert(form.text).second) << form.text << " stands there twice";
    opcodes.insert(form.opcode());
    refused += form.refused;
  }
  EXPECT_GT(names.size(), 2000u);
  EXPECT_GT(opcodes.size(), 100u);
  EXPECT_GT(refused, 20u);
}

}  // namespace
}  // namespace gridstride::sim
