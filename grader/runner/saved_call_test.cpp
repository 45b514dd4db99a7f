// What is saved is what is loaded; what is no saved call is refused by name.
#include "grader/runner/saved_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <vector>

#include "common/files.h"

namespace gridstride {
namespace {

const TemporaryFolder folder;  // tests run side by side, and for several users
const std::filesystem::path file = folder.path() / "saved.call";

std::vector<SavedArgument> some_arguments(std::span<const std::byte> data) {
  std::vector<SavedArgument> arguments(3);
  arguments[0].allocation.kind = ArgumentKind::input;
  arguments[0].allocation.bytes = data.size();
  arguments[0].allocation.offset_bytes = 4;
  arguments[0].data = data;
  arguments[1].allocation.kind = ArgumentKind::scalar;
  arguments[1].allocation.value = {std::byte{7}, std::byte{0}};
  arguments[2].allocation.kind = ArgumentKind::output;
  arguments[2].allocation.bytes = 32;
  return arguments;
}

TEST(SavedCall, IsLoadedAsItWasSaved) {
  const std::vector<std::byte> data(1000, std::byte{42});
  save_call(file, some_arguments(data));
  const SavedCall loaded = load_call(file);
  ASSERT_EQ(loaded.arguments.size(), 3u);
  EXPECT_TRUE(std::ranges::equal(loaded.arguments[0].data, data));
  EXPECT_EQ(loaded.arguments[0].allocation.offset_bytes, 4u);
  EXPECT_EQ(loaded.arguments[1].allocation.value.at(0), std::byte{7});
  EXPECT_EQ(loaded.arguments[2].allocation.bytes, 32u);
  EXPECT_TRUE(loaded.arguments[2].data.empty());
}

TEST(SavedCall, IsRefusedWhenCutOff) {
  const std::vector<std::byte> data(1000, std::byte{42});
  save_call(file, some_arguments(data));
  for (const std::uintmax_t bytes : {0, 8, 20, 60, 500}) {
    std::filesystem::resize_file(file, bytes);
    EXPECT_ANY_THROW(load_call(file)) << bytes;
    save_call(file, some_arguments(data));
  }
}

TEST(SavedCall, IsRefusedWhenItsSizesAddUpToNone) {
  std::vector<SavedArgument> arguments = some_arguments({});
  arguments[0].allocation.bytes = ~std::uint64_t{0};
  save_call(file, arguments);
  EXPECT_ANY_THROW(load_call(file));
}

TEST(SavedCall, NamesTheFileThatIsNone) {
  std::ofstream(file) << "an ordinary text, longer than a header";
  try {
    load_call(file);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no saved call"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos);
  }
  EXPECT_THROW(load_call("/nowhere/at.all"), std::runtime_error);
  EXPECT_THROW(save_call("/nowhere/at.all", {}), std::runtime_error);
}

}  // namespace
}  // namespace gridstride
