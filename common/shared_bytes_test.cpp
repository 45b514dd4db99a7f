// Two ends of shared memory, in one process.
#include "common/shared_bytes.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "common/unique_fd.h"

namespace gridstride {
namespace {

TEST(SharedBytes, IsSeenByBothSidesAlsoAfterItHasGrown) {
  SharedBytes owner = SharedBytes::create();
  SharedBytes other(UniqueFd(::dup(owner.fd())));
  owner.grow(100)[99] = std::byte{7};
  EXPECT_EQ(other.view(100)[99], std::byte{7});
  EXPECT_THROW(other.view(101), std::length_error);
  owner.grow(1 << 20)[(1 << 20) - 1] = std::byte{8};
  const auto all = other.view(1 << 20);
  EXPECT_EQ(all[99], std::byte{7});
  EXPECT_EQ(all[(1 << 20) - 1], std::byte{8});
  all[0] = std::byte{9};
  EXPECT_EQ(owner.view(1)[0], std::byte{9});
}

TEST(SharedBytes, NeitherShrinksNorOutlivesAnExec) {
  SharedBytes owner = SharedBytes::create();
  owner.grow(8192);
  EXPECT_NE(::ftruncate(owner.fd(), 4096), 0);
  EXPECT_NE(::fcntl(owner.fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(SharedBytes, Moves) {
  SharedBytes first = SharedBytes::create();
  first.grow(10)[3] = std::byte{1};
  SharedBytes second(std::move(first));
  EXPECT_EQ(second.view(10)[3], std::byte{1});
  SharedBytes third = SharedBytes::create();
  third = std::move(second);
  EXPECT_EQ(third.view(10)[3], std::byte{1});
}

}  // namespace
}  // namespace gridstride
