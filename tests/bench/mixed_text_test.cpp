#include "tests/bench/mixed_text.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "common/text/unicode/utf8.h"
#include "tests/support/paths.h"

namespace dflash::bench {
namespace {

TEST(MixedText, IsTheSameEveryTime) {
  const auto first = make_mixed_text(test::source_dir(), 200'000, 1);
  EXPECT_EQ(first, make_mixed_text(test::source_dir(), 200'000, 1));
  EXPECT_NE(first, make_mixed_text(test::source_dir(), 200'000, 2));
}

TEST(MixedText, IsVaried) {
  const auto documents = make_mixed_text(test::source_dir(), 2'000'000, 1);
  size_t bytes = 0, characters = 0;
  size_t words = 0;
  std::map<std::string, size_t> distinct;
  for (const std::string& text : documents) {
    ASSERT_TRUE(is_utf8(text));
    bytes += text.size();
    characters += count_characters(text);
    std::istringstream stream(text);
    for (std::string word; stream >> word; ++words) ++distinct[word];
  }
  EXPECT_GE(bytes, 2'000'000U);
  EXPECT_LT(bytes, 2'100'000U);
  const double characters_per_byte = static_cast<double>(characters) / static_cast<double>(bytes);
  EXPECT_GT(characters_per_byte, 0.7);  // a good part is no ASCII
  EXPECT_LT(characters_per_byte, 0.95);
  EXPECT_GT(static_cast<double>(distinct.size()) / static_cast<double>(words), 0.1);
}

}  // namespace
}  // namespace dflash::bench
