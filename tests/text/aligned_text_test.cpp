// AlignedText: every operation keeps one origin for each byte, by the rules of the reference library.
#include "common/text/tokenizer/aligned_text.h"

#include <gtest/gtest.h>

#include "common/text/unicode/normal_form.h"

namespace dflash {
namespace {

class AlignedTextTest : public testing::Test {
 protected:
  void take(const std::string& input) {
    input_ = input;
    text_.assign(TextSlice{input_}, input_, true);
  }

  void expect(const std::string& text, const std::vector<OriginSpan>& origins) {
    EXPECT_EQ(text_.text(), text);
    const TextSlice slice = text_.slice();
    EXPECT_EQ(std::vector<OriginSpan>(slice.origin, slice.origin + slice.text.size()), origins);
  }

  std::string input_;
  AlignedText text_;
};

TEST_F(AlignedTextTest, BytesOfACharacterHaveItsSpan) {
  take("a\xC3\xA9");
  expect("a\xC3\xA9", {{0, 1}, {1, 3}, {1, 3}});
}

TEST_F(AlignedTextTest, CompositionKeepsTheFirstCharacter) {
  take("e\xCC\x81x");
  text_.transform(normalize(NormalForm::c, text_.text()));
  expect("\xC3\xA9x", {{0, 1}, {0, 1}, {3, 4}});
}

TEST_F(AlignedTextTest, DecompositionSharesTheCharacter) {
  take("\xC3\xA9x");
  text_.transform(normalize(NormalForm::d, text_.text()));
  expect("e\xCC\x81x", {{0, 2}, {0, 2}, {0, 2}, {2, 3}});
}

TEST_F(AlignedTextTest, ReplacementsHaveTheLastByteReplaced) {
  take("a  b c");
  text_.replace(0, 0, "<");
  text_.replace(1, 3, "__");
  text_.replace(4, 5, "");
  text_.finish_replacing();
  expect("<a__bc", {{0, 0}, {0, 1}, {2, 3}, {2, 3}, {3, 4}, {5, 6}});
}

TEST_F(AlignedTextTest, APrefixBelongsToTheFirstCharacter) {
  take("\xC3\xA9z");
  text_.prepend("##");
  expect("##\xC3\xA9z", {{0, 2}, {0, 2}, {0, 2}, {0, 2}, {2, 3}});
  take("");
  text_.prepend("##");
  expect("", {});
}

TEST_F(AlignedTextTest, CutsAndRemovals) {
  take("abcdef");
  text_.cut(1, 5);
  const std::vector<CharacterChange> changes = {{U'C', -1}, {U'E', 0}};
  text_.transform(changes, 1);
  expect("CE", {{2, 3}, {4, 5}});
}

}  // namespace
}  // namespace dflash
