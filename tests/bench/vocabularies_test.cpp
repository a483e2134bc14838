#include "tests/bench/vocabularies.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace dflash::bench {
namespace {

using Names = std::vector<std::string>;

TEST(Vocabularies, AreThoseNamedInTheirOrderAndAllWhereNoneIs) {
  EXPECT_EQ(chosen_vocabularies("qwen3 quickstart"), (Names{"qwen3", "quickstart"}));
  EXPECT_EQ(chosen_vocabularies("  gpt2 gpt2 "), Names{"gpt2"});
  EXPECT_GT(chosen_vocabularies("").size(), 5u);
  EXPECT_EQ(chosen_vocabularies(" "), chosen_vocabularies(""));
}

TEST(Vocabularies, AnUnknownNameIsAnErrorThatListsThem) {
  for (const char* names : {"qwen", "quickstart qwen"}) {
    const Error error = error_of([&] { (void)chosen_vocabularies(names); });
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_NE(std::string(error.what()).find("no vocabulary 'qwen'; known: quickstart qwen3 "), std::string::npos)
        << error.what();
  }
}

TEST(Vocabularies, TheQuickstartsIsInTheTree) {
  EXPECT_TRUE(std::filesystem::exists(vocabulary_file("quickstart", "unused")));
}

}  // namespace
}  // namespace dflash::bench
