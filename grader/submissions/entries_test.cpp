// Archives and folders as lists: what is in there, what is left out, and what of it is said.
#include "grader/submissions/entries.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/files.h"
#include "common/unique_fd.h"
#include "grader/submissions/test_archives.h"

namespace gridstride {
namespace {
namespace fs = std::filesystem;
using Kind = StageFile::Kind;

class EntriesTest : public testing::Test {
 protected:
  EntriesTest() { wanted_.names = {"1_first.cu"}; }

  Entries listed_of(const std::string& name, const std::vector<TestEntry>& entries) {
    write_archive(folder_.path() / name, entries);
    return list(name);
  }
  Entries list(const std::string& name) {
    const UniqueFd file(::open((folder_.path() / name).c_str(), O_RDONLY | O_CLOEXEC));
    return list_archive(file.get(), wanted_);
  }
  static std::string problems(const Entries& entries) {
    std::string all;
    for (const std::string& words : entries.problems) all += words + "\n";
    return all;
  }
  static const Entry* find(const Entries& entries, const std::string& path) {
    for (const Entry& entry : entries.list)
      if (entry.path == path) return &entry;
    return nullptr;
  }

  TemporaryFolder folder_;
  Wanted wanted_;
};

TEST_F(EntriesTest, PathsStayInside) {
  EXPECT_EQ(inner_path("a/b.cu"), "a/b.cu");
  EXPECT_EQ(inner_path("./a//b/./c"), "a/b/c");
  for (const char* bad : {"", "/", "/etc/passwd", "..", "../a", "a/../../b", "a/..", "."})
    EXPECT_FALSE(inner_path(bad)) << bad;
  EXPECT_FALSE(inner_path(std::string_view("a\0b", 3)));
}

TEST_F(EntriesTest, EveryKindOfArchiveIsRead) {
  for (const char* name : {"a.zip", "a.tar", "a.tar.gz", "a.tgz", "a.tar.xz", "a.tar.zst"}) {
    const Entries entries =
        listed_of(name, {{"lab/1_first.cu", "text"}, {"lab/other.h", "header"}});
    EXPECT_EQ(problems(entries), "") << name;
    ASSERT_NE(find(entries, "lab/1_first.cu"), nullptr) << name;
    EXPECT_EQ(find(entries, "lab/1_first.cu")->bytes, "text") << name;
    EXPECT_FALSE(find(entries, "lab/other.h")->bytes) << "what nobody wants is not kept";
  }
}

TEST_F(EntriesTest, WhatIsNoPlainFileKeepsItsKind) {
  using K = TestEntry::Kind;
  const Entries entries = listed_of("a.tar", {{"a/1_first.cu", "/etc/passwd", K::link},
                                              {"b/1_first.cu", "", K::fifo},
                                              {"c/1_first.cu", "", K::device},
                                              {"d/1_first.cu", "", K::folder},
                                              {"e/1_first.cu", "a/1_first.cu", K::hard_link}});
  EXPECT_EQ(find(entries, "a/1_first.cu")->kind, Kind::link);
  EXPECT_EQ(find(entries, "b/1_first.cu")->kind, Kind::fifo);
  EXPECT_EQ(find(entries, "c/1_first.cu")->kind, Kind::fifo);
  EXPECT_EQ(find(entries, "d/1_first.cu")->kind, Kind::folder);
  EXPECT_EQ(find(entries, "e/1_first.cu")->kind, Kind::link);
  for (const Entry& entry : entries.list) EXPECT_FALSE(entry.bytes) << entry.path;
}

TEST_F(EntriesTest, NamesThatLeadOutAreLeftOut) {
  const Entries entries = listed_of(
      "a.zip", {{"../1_first.cu", "x"}, {"a/../../1_first.cu", "x"}, {"b/1_first.cu", "good"}});
  ASSERT_EQ(entries.list.size(), 1u);
  EXPECT_EQ(entries.list[0].bytes, "good");
  EXPECT_NE(problems(entries).find("leads out of it and was left out: \"../1_first.cu\""),
            std::string::npos)
      << problems(entries);
}

TEST_F(EntriesTest, ABombIsNotUnpacked) {
  write_bomb(folder_.path() / "a.tar.gz", "1_first.cu", 40);
  const Entries entries = list("a.tar.gz");
  EXPECT_NE(problems(entries).find("more than 200 times its size"), std::string::npos)
      << problems(entries);
  EXPECT_EQ(find(entries, "1_first.cu"), nullptr) << "the rest was not looked at";
}

TEST_F(EntriesTest, TooMuchOfAnythingIsSaid) {
  Entries entries = listed_of("a.zip", {{"1_first.cu", std::string((1u << 20) + 1, 'x')}});
  EXPECT_EQ(entries.list.at(0).kind, Kind::too_large);
  EXPECT_FALSE(entries.list.at(0).bytes);

  wanted_.most_entries = 2;
  entries = listed_of("b.zip", {{"a", ""}, {"b", ""}, {"c", ""}});
  EXPECT_EQ(entries.list.size(), 2u);
  EXPECT_NE(problems(entries).find("more than 2 files"), std::string::npos);

  wanted_ = {};
  wanted_.names = {"1_first.cu"};
  wanted_.most_bytes = 100;
  entries = listed_of("c.tar", {{"big", std::string(200, 'x')}, {"1_first.cu", "text"}});
  EXPECT_NE(problems(entries).find("unpacks to more than 0 MiB"), std::string::npos)
      << problems(entries);

  wanted_.most_bytes = 1000;
  wanted_.most_wanted_bytes = 3;
  entries = listed_of("d.zip", {{"a/1_first.cu", "xx"}, {"b/1_first.cu", "xx"}});
  EXPECT_NE(problems(entries).find("MiB in all"), std::string::npos) << problems(entries);
}

TEST_F(EntriesTest, BrokenArchivesAreSaid) {
  write_file(folder_.path() / "a.zip", "no zip at all");
  EXPECT_NE(problems(list("a.zip")).find("no zip or tar archive"), std::string::npos);
  write_file(folder_.path() / "b.zip", "");
  EXPECT_EQ(problems(list("b.zip")), "The archive is empty: 0 bytes.\n");
  std::vector<TestEntry> entries;
  for (int i = 0; i < 50; ++i) {
    std::string noise;
    for (int j = 0; j < 5000; ++j) noise += static_cast<char>((i * 7919 + j * j * 31 + j) % 251);
    entries.push_back({"file" + std::to_string(i), noise});
  }
  write_archive(folder_.path() / "c.tar.gz", entries);
  fs::resize_file(folder_.path() / "c.tar.gz", fs::file_size(folder_.path() / "c.tar.gz") / 2);
  const Entries cut = list("c.tar.gz");
  EXPECT_FALSE(cut.list.empty());
  EXPECT_FALSE(cut.problems.empty());
}

TEST_F(EntriesTest, AFolderIsReadWithoutFollowingAnything) {
  const fs::path home = folder_.path() / "ada";
  fs::create_directories(home / "lab/.git");
  write_file(home / "lab/1_first.cu", "text");
  write_file(home / "lab/.git/1_first.cu", "no");
  fs::create_directory_symlink("/etc", home / "system");
  fs::create_symlink("/etc/passwd", home / "1_first.cu");
  ASSERT_EQ(::mkfifo((home / "lab/pipe").c_str(), 0600), 0);
  const Entries entries = entries_of_folder(home, wanted_);
  EXPECT_EQ(find(entries, "lab/1_first.cu")->bytes, "text");
  EXPECT_EQ(find(entries, "1_first.cu")->kind, Kind::link);
  EXPECT_EQ(find(entries, "system")->kind, Kind::link);
  EXPECT_EQ(find(entries, "lab/pipe")->kind, Kind::fifo);
  for (const Entry& entry : entries.list) {
    EXPECT_EQ(entry.path.find(".git"), std::string::npos);
    EXPECT_NE(entry.path.rfind("system/", 0), 0u);
  }
}

TEST_F(EntriesTest, TheListTravelsWhole) {
  Entries entries;
  entries.problems = {"a sentence", "another\nwith a line"};
  entries.list = {{"a/b.cu", Kind::plain, 12, std::string("by\0tes\n7", 8)},
                  {"c", Kind::folder, 0, std::nullopt},
                  {"d", Kind::too_large, -5, std::nullopt}};
  const std::string bytes = packed(entries);
  const Entries back = unpacked(bytes);
  EXPECT_EQ(back.problems, entries.problems);
  ASSERT_EQ(back.list.size(), 3u);
  EXPECT_EQ(back.list[0].bytes, entries.list[0].bytes);
  EXPECT_EQ(back.list[2].kind, Kind::too_large);
  EXPECT_EQ(packed(back), bytes);
  // Whoever forges such a list gets an error, wherever it breaks off or lies.
  for (std::size_t i = 0; i < bytes.size(); ++i)
    EXPECT_FALSE(unpacked(bytes.substr(0, i)).problems.empty()) << i;
  EXPECT_FALSE(unpacked("0\n1\n99999999999\nabc").problems.empty());
  EXPECT_FALSE(unpacked("0\n1\n-1\nabc").problems.empty());
  const Entries out = unpacked("0\n1\n4\n../a5\nplain0\n0\n");
  EXPECT_TRUE(out.list.empty()) << "nor does a path of it lead out";
}

TEST_F(EntriesTest, NamesOfArchivesAreKnown) {
  EXPECT_EQ(archive_stem("ada.zip"), "ada");
  EXPECT_EQ(archive_stem("ada.b.TAR.GZ"), "ada.b");
  EXPECT_EQ(archive_stem("ada.tgz"), "ada");
  EXPECT_FALSE(archive_stem("ada"));
  EXPECT_FALSE(archive_stem(".zip"));
  EXPECT_FALSE(archive_stem("1_first.cu"));
}

}  // namespace
}  // namespace gridstride
