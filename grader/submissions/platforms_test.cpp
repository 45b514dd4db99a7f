// Names as platforms give them.
#include "grader/submissions/platforms.h"

#include <gtest/gtest.h>

#include <string>

namespace gridstride {
namespace {

TEST(Platforms, Moodle) {
  const auto folder = moodle_name("Ada King Lovelace_1234567_assignsubmission_file_");
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->student.id, "1234567");
  EXPECT_EQ(folder->student.name, "Ada King Lovelace");
  EXPECT_EQ(folder->rest, "");
  const auto file = moodle_name("Anna_Maria Zoë_77_assignsubmission_file_1_interleaved.cu");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->student.name, "Anna_Maria Zoë");
  EXPECT_EQ(file->rest, "1_interleaved.cu");
  EXPECT_FALSE(moodle_name("ada"));
  EXPECT_FALSE(moodle_name("Ada_x_assignsubmission_file_"));
  EXPECT_FALSE(moodle_name(std::string(100'000, '1') + "_1_assignsubmission_file_"));
}

TEST(Platforms, Canvas) {
  const auto archive = canvas_name("lovelaceada_LATE_4711_99001_homework.zip");
  ASSERT_TRUE(archive);
  EXPECT_EQ(archive->student.id, "4711");
  EXPECT_TRUE(archive->late);
  EXPECT_EQ(archive->order, 99001);
  EXPECT_EQ(archive->rest, "homework.zip");
  const auto again = canvas_name("hopper_12_34_1_interleaved-2.cu");
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->late);
  EXPECT_EQ(again->rest, "1_interleaved.cu");
  EXPECT_FALSE(canvas_name("ada_1_interleaved.cu"));
}

TEST(Platforms, Gradescope) {
  const auto all = read_gradescope_metadata(R"(---
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '0042'
    :email: ada@example.org
  - :name: "Bob: the other"
    :sid:
    :email: bob@example.org
  :created_at: 2026-11-20 17:59:59.123456000 Z
  :score: 3.0
  :results:
    tests:
    - name: no student's
submission_102:
  :submitters:
  - :email: c@example.org
    :name: Cy
  :created_at: 2026-11-21 08:00:00 Z
)");
  ASSERT_EQ(all.size(), 2u);
  const GradescopeSubmission& first = all.at("submission_101");
  ASSERT_EQ(first.submitters.size(), 2u);
  EXPECT_EQ(first.submitters[0].name, "Ada Lovelace");
  EXPECT_EQ(first.submitters[0].number, "0042");
  EXPECT_EQ(first.submitters[1].name, "Bob: the other");
  EXPECT_EQ(first.submitters[1].email, "bob@example.org");
  EXPECT_EQ(first.handed_in, "2026-11-20 17:59:59.123456000 Z");
  EXPECT_EQ(all.at("submission_102").submitters.at(0).name, "Cy");
  EXPECT_TRUE(read_gradescope_metadata("\n :\n- \n::::\nsubmission_x\n").empty());
}

TEST(Platforms, AreToldByTheirNames) {
  EXPECT_EQ(platform_of({"ada", "bob.zip"}), Platform::folder);
  EXPECT_EQ(platform_of({"Ada L_1_assignsubmission_file_", "readme.txt"}), Platform::moodle);
  EXPECT_EQ(platform_of({"ada_1_2_x.zip", "bob_3_4_x.zip"}), Platform::canvas);
  EXPECT_EQ(platform_of({"ada_1_2_x.zip", "bob"}), Platform::folder);
  EXPECT_EQ(platform_of({"submission_1", "submission_metadata.yml"}), Platform::gradescope);
}

TEST(Platforms, ClonesShareAPrefix) {
  EXPECT_EQ(common_prefix({"lab-1-ada", "lab-1-alan"}), "lab-1-");
  EXPECT_EQ(common_prefix({"lab-1-ada"}), "");
  EXPECT_EQ(common_prefix({"ada", "alan"}), "");
}

TEST(Platforms, TimesAreRead) {
  EXPECT_EQ(time_in("2026-11-25T18:00:00Z"), 1795629600);
  EXPECT_EQ(time_in("2026-11-25 18:00 UTC"), 1795629600);
  EXPECT_EQ(time_in("2026-11-25T18:00+01:00"), 1795629600 - 3600);
  EXPECT_EQ(time_in("2026-11-25 18:00:00.5 -0230"), 1795629600 + 9000);
  EXPECT_TRUE(time_in("2026-11-25"));
  for (const char* bad : {"", "tomorrow", "2026-13-01", "25.11.2026", "2026-11-25T25:00"})
    EXPECT_FALSE(time_in(bad)) << bad;
}

}  // namespace
}  // namespace gridstride
