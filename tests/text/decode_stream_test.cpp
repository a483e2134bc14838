// DecodeStream: all that it gives is what decode() makes of all ids, in whole characters, for every vector.
#include "common/text/tokenizer/decode_stream.h"

#include <gtest/gtest.h>

#include "common/text/unicode/utf8.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

void check_stream(const Tokenizer& tokenizer, const std::vector<uint32_t>& ids, bool skip_special_tokens) {
  DecodeStream stream(tokenizer, skip_special_tokens);
  std::string all;
  for (const uint32_t id : ids) {
    const std::string part = stream.add(id);
    ASSERT_TRUE(is_utf8(part));
    ASSERT_FALSE(part.ends_with(kReplacementCharacter));
    all += part;
  }
  EXPECT_EQ(all + stream.finish(), tokenizer.decode(ids, skip_special_tokens));
}

TEST(DecodeStream, GivesWhatDecodeGives) {
  size_t rows = 0;
  for (const auto& entry : fs::directory_iterator(test::golden_text_folder() / "tokenizers")) {
    const std::string name = entry.path().stem().stem().string();
    SCOPED_TRACE(name);
    const Tokenizer tokenizer = Tokenizer::parse(test::read_any(entry.path()), name);
    const auto check_row = [&](const Json& row) {
      const auto ids = row.at("ids").get<std::vector<uint32_t>>();
      check_stream(tokenizer, ids, false);
      check_stream(tokenizer, ids, true);
      ++rows;
    };
    test::for_each_row(test::golden_text_folder() / "vectors" / (name + ".jsonl.gz"), check_row);
  }
  EXPECT_GT(rows, 5000U);
}

Tokenizer tokenizer_named(const std::string& name) {
  return Tokenizer::parse(test::read_any(test::golden_text_folder() / "tokenizers" / (name + ".json.gz")), name);
}

TEST(DecodeStream, HoldsHalfACharacterBack) {
  const Tokenizer tokenizer = tokenizer_named("s31_truncation_padding_in_file");
  TokenizerScratch scratch;
  Encoding encoding;
  tokenizer.encode("\xF0\x9F\x98\x80!", {}, scratch, encoding);
  ASSERT_EQ(encoding.ids.size(), 5U);  // four bytes and a sign
  DecodeStream stream(tokenizer, false);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(stream.add(encoding.ids[static_cast<size_t>(i)]), "");
  EXPECT_EQ(stream.add(encoding.ids[3]), "\xF0\x9F\x98\x80");
  EXPECT_EQ(stream.add(encoding.ids[4]), "!");
  EXPECT_EQ(stream.finish(), "");
}

TEST(DecodeStream, TheEndGivesWhatWasHeldBack) {
  const Tokenizer tokenizer = tokenizer_named("s31_truncation_padding_in_file");
  TokenizerScratch scratch;
  Encoding encoding;
  tokenizer.encode("\xF0\x9F\x98\x80", {}, scratch, encoding);
  DecodeStream stream(tokenizer, false);
  EXPECT_EQ(stream.add(encoding.ids[0]), "");
  EXPECT_EQ(stream.finish(), kReplacementCharacter);
}

}  // namespace
}  // namespace dflash
