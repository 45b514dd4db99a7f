// The examples of FIPS 180-4's test vectors, and that parts are told apart.
#include "grader/gradebook/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace gridstride {
namespace {

TEST(Sha256Test, KnowsTheStandardsExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, PiecesMakeNoDifference) {
  const std::string text(300, 'x');
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Sha256 hash;
    hash.add(text.substr(0, cut));
    hash.add(text.substr(cut));
    EXPECT_EQ(hash.digits(), sha256(text)) << cut;
  }
}

TEST(Sha256Test, PartsAreToldApart) {
  Sha256 one, other;
  one.add_part("ab");
  one.add_part("c");
  other.add_part("a");
  other.add_part("bc");
  EXPECT_NE(one.digits(), other.digits());
}

}  // namespace
}  // namespace gridstride
