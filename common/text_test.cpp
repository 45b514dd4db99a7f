// What comes from student code or a compiler must be safe to print wherever it ends up.
#include "common/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride {
namespace {

TEST(CleanText, KeepsWhatIsTextAlready) {
  EXPECT_EQ(clean_text("expected 1.5,\n\tgot 2.5"), "expected 1.5,\n\tgot 2.5");
  EXPECT_EQ(clean_text("naïve Σ → 漢字 🙂"), "naïve Σ → 漢字 🙂");
}

TEST(CleanText, RemovesEscapeSequences) {
  EXPECT_EQ(clean_text("\x1b[31mred\x1b[0m"), "red");
  EXPECT_EQ(clean_text("\x1b]0;title\aafter"), "after");
  EXPECT_EQ(clean_text("\x1b]0;title\x1b\\after"), "after");
  EXPECT_EQ(clean_text("lone \x1b"), "lone ");
  EXPECT_EQ(clean_text("cut \x1b[1;3"), "cut ");
  EXPECT_EQ(clean_text("\x1b]52;never ends\nnext line"), "52;never ends\nnext line");
}

TEST(CleanText, ReplacesControlBytesAndInvalidUtf8) {
  EXPECT_EQ(clean_text(std::string_view("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(clean_text("a\x08\x7F"), "a\uFFFD\uFFFD");
  EXPECT_EQ(clean_text("line\r\nline"), "line\nline");
  EXPECT_EQ(clean_text("over\rwritten"), "over\uFFFDwritten");
  EXPECT_EQ(clean_text("\xFF"), "\uFFFD");
  EXPECT_EQ(clean_text("\xC0\xAF"), "\uFFFD\uFFFD") << "an overlong slash";
  EXPECT_EQ(clean_text("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(clean_text("\xF0\x9F\x99"), "\uFFFD\uFFFD\uFFFD") << "cut off";
  EXPECT_EQ(clean_text("\u202Egpj.exe"), "\uFFFDgpj.exe") << "right-to-left override";
  EXPECT_EQ(clean_text("\u009B31m"), "\uFFFD31m") << "an eight-bit escape";
}

TEST(Escaped, ShowsWhatNamesDifferIn) {
  EXPECT_EQ(escaped("naïve 3_a;${x}.cu"), "naïve 3_a;${x}.cu");
  EXPECT_EQ(escaped("\x1b[2J\n\t\\\xFF\u202E"), "\\x1b[2J\\n\\x09\\\\\\xff\\xe2\\x80\\xae");
  EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(InQuotes, NothingInItEndsTheQuotation) {
  EXPECT_EQ(in_quotes("a \"b\"\nscore 100"), "\"a \\\"b\\\"\\nscore 100\"");
  EXPECT_EQ(in_quotes(std::string(300, 'x')).size(), 199 + std::string("\"…\"").size());
}

TEST(QuotedLines, NoLineCanBeTakenForOurs) {
  EXPECT_EQ(quoted_lines("error\r\n  \x1b[1mcaret\n\nscore 100\n\n"),
            "  | error\n  |   caret\n  | \n  | score 100");
}

TEST(ShortenMiddle, KeepsBothEnds) {
  EXPECT_EQ(shorten_middle("/a/b.cu", 7), "/a/b.cu");
  const std::string cut = shorten_middle("/home/" + std::string(3000, 'x') + "/b.cu", 300);
  EXPECT_EQ(cut.size(), 300u);
  EXPECT_TRUE(cut.starts_with("/home/x"));
  EXPECT_TRUE(cut.ends_with("x/b.cu"));
}

TEST(Shorten, CutsByColumnsNotBytes) {
  EXPECT_EQ(shorten("αβγδ", 4), "αβγδ");
  EXPECT_EQ(shorten("αβγδε", 4), "αβγ…");
  EXPECT_EQ(shorten("abc", 1), "…");
  EXPECT_EQ(shorten("abc", 0), "");
}

TEST(Wrap, BreaksAtSpacesAndKeepsIndentedLines) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("short\n    code that is wider", 10),
            (std::vector<std::string>{"short", "    code that is wider"}));
  EXPECT_EQ(wrap("a verylongword b", 6), (std::vector<std::string>{"a", "verylongword", "b"}));
  EXPECT_EQ(wrap("", 10), std::vector<std::string>{""});
}

TEST(NearestName, FindsWhatWasMeant) {
  const std::vector<std::string> labs = {"reduction", "scan", "histogram"};
  EXPECT_EQ(nearest_name("reducton", labs), "reduction");
  EXPECT_EQ(nearest_name("Scan", labs), "scan");
  EXPECT_EQ(nearest_name("zzzzzzzz", labs), "");
  EXPECT_EQ(nearest_name("sequential", {"2_strided", "3_sequential"}), "3_sequential");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(PlainNumber, HasNoTrailingZeros) {
  EXPECT_EQ(plain_number(4.0), "4");
  EXPECT_EQ(plain_number(4.50), "4.5");
  EXPECT_EQ(plain_number(1.0 / 3), "0.33");
  EXPECT_EQ(plain_number(-0.001), "0");
  EXPECT_EQ(plain_number(100, 0), "100");
  EXPECT_EQ(plain_number(std::nan("")), "nan");
}

TEST(Listed, ReadsAsASentenceDoes) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace gridstride
