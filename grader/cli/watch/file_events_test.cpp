// Saves are told, however an editor makes them, and nothing else is.
#include "grader/cli/watch/file_events.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/files.h"

namespace gridstride::cli {
namespace {
namespace fs = std::filesystem;

class FileEventsTest : public testing::Test {
 protected:
  FileEventsTest() { fs::create_directories(folder_); }
  bool something_came(const FileEvents& events) {
    pollfd fd{events.fd(), POLLIN, 0};
    return ::poll(&fd, 1, 0) == 1;
  }
  void save(const std::string& name) { std::ofstream(folder_ / name) << "text"; }

  using Paths = std::vector<fs::path>;
  TemporaryFolder root_;
  fs::path folder_ = root_.path() / "labs/scan";
};

TEST_F(FileEventsTest, TellsWhatIsWrittenInPlaceAndWhatTakesAnothersName) {
  save("1_first.cu");
  FileEvents events({folder_});
  EXPECT_FALSE(something_came(events));
  save("1_first.cu");
  save("1_first.cu");
  EXPECT_TRUE(something_came(events));
  EXPECT_EQ(events.take(), Paths{folder_ / "1_first.cu"}) << "once";
  EXPECT_FALSE(something_came(events));
  write_file(folder_ / "1_first.cu", "by rename");
  const Paths saved = events.take();
  EXPECT_EQ(saved.front(), folder_ / "1_first.cu") << "beside the draft, which is not its name";
}

TEST_F(FileEventsTest, DoesNotTellWhatIsReadOrRemoved) {
  save("1_first.cu");
  FileEvents events({folder_});
  read_file(folder_ / "1_first.cu");
  fs::remove(folder_ / "1_first.cu");
  std::ofstream(root_.path() / "labs/notes") << "text";
  EXPECT_EQ(events.take(), Paths{});
}

TEST_F(FileEventsTest, FollowsAFolderThatIsReplaced) {
  FileEvents events({folder_});
  fs::remove_all(folder_);
  EXPECT_EQ(events.take(), Paths{});
  fs::create_directories(folder_);
  EXPECT_EQ(events.take(), Paths{folder_}) << "anything may stand there";
  save("1_first.cu");
  EXPECT_EQ(events.take(), Paths{folder_ / "1_first.cu"});
  const fs::path other = root_.path() / "other";
  fs::create_directories(other);
  fs::rename(folder_, root_.path() / "old");
  fs::rename(other, folder_);
  EXPECT_EQ(events.take(), Paths{folder_});
  save("2_second.cu");
  EXPECT_EQ(events.take(), Paths{folder_ / "2_second.cu"});
}

TEST_F(FileEventsTest, AFolderMayComeLater) {
  FileEvents events({folder_, root_.path() / "labs/none"});
  fs::create_directories(root_.path() / "labs/none");
  EXPECT_EQ(events.take(), Paths{root_.path() / "labs/none"});
}

}  // namespace
}  // namespace gridstride::cli
