// The table of instruction forms (testdata/forms.txt): each is decoded, or refused by its name. And
// the table of opcodes (analysis/opcodes.def) held against it.
#include <gtest/gtest.h>

#include <cstddef>
#include <exception>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "common/simulator/analysis/opcodes.h"
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
      ".shared .align 16 .b8 tile[64]; .local .align 16 .b8 own[64];\n"
      "table: .branchtargets end; shape: .callprototype _ ();\n" +
      form.text + ";\nend: ret;\n}\n";
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

/// The test above decodes every form, so a row whose opcode is among them has a decoder of its own.
TEST(Opcodes, EachRowIsOneOpcodeOfTheForms) {
  std::set<std::string> decoded, rows;
  for (const Form& form : forms()) {
    if (!form.refused) decoded.insert(form.opcode());
  }
  for (const Opcode& row : opcodes()) {
    EXPECT_TRUE(rows.emplace(row.name).second) << row.name << " has two rows";
  }
  EXPECT_EQ(rows, decoded);
}

TEST(Opcodes, WithoutARowAreRefusedByName) {
  const Form form{"frobnicate.rn.u32 %r1, %r2, %r3", true};
  EXPECT_EQ(objection(form),
            "frobnicate.rn.u32 in k (PTX line 12) is not supported by the simulated GPU");
}

}  // namespace
}  // namespace gridstride::sim
