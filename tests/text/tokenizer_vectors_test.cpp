// Every vector of golden/text: ids, offsets, tokens and decoded texts of the reference library, for small tokenizers of
// all kinds, and for published vocabularies where they are.
#include <gtest/gtest.h>

#include "common/text/tokenizer/tokenizer.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

struct Vectors {
  std::string name;
  fs::path tokenizer;
  fs::path rows;
};

Json offsets_json(const Encoding& encoding) {
  Json list = Json::array();
  for (const TokenOffset& offset : encoding.offsets) list.push_back({offset.begin, offset.end});
  return list;
}

class RowCheck {
 public:
  explicit RowCheck(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void check(const Json& row) {
    const auto text = row.at("text").get<std::string>();
    SCOPED_TRACE(row.at("text").dump().substr(0, 300));
    check_encoding(text, true, row.at("ids"), row.at("offsets"), &row.at("tokens"));
    const bool differs = row.contains("ids_plain");
    check_encoding(text, false, row.at(differs ? "ids_plain" : "ids"), row.at(differs ? "offsets_plain" : "offsets"),
                   nullptr);
    const auto ids = row.at("ids").get<std::vector<uint32_t>>();
    EXPECT_EQ(tokenizer_.decode(ids, false), row.at("decoded").get<std::string>());
    EXPECT_EQ(tokenizer_.decode(ids, true), row.at("decoded_skip_special").get<std::string>());
  }

 private:
  void check_encoding(const std::string& text, bool special_tokens, const Json& ids, const Json& offsets,
                      const Json* tokens) {
    Encoding encoding;
    tokenizer_.encode(text, {special_tokens, OffsetUnit::none, false}, scratch_, encoding);
    EXPECT_EQ(Json(encoding.ids), ids);
    EXPECT_TRUE(encoding.offsets.empty());
    EXPECT_TRUE(encoding.tokens.empty());
    tokenizer_.encode(text, {special_tokens, OffsetUnit::characters, tokens != nullptr}, scratch_, encoding);
    EXPECT_EQ(Json(encoding.ids), ids);
    EXPECT_EQ(offsets_json(encoding), offsets);
    if (tokens != nullptr) {
      EXPECT_EQ(Json(encoding.tokens), *tokens);
    }
  }

  const Tokenizer& tokenizer_;
  TokenizerScratch scratch_;
};

void check_vectors(const Vectors& vectors) {
  SCOPED_TRACE(vectors.name);
  const Tokenizer tokenizer = Tokenizer::parse(test::read_any(vectors.tokenizer), vectors.name);
  RowCheck check(tokenizer);
  size_t failed_rows = 0;
  test::for_each_row(vectors.rows, [&](const Json& row) {
    if (failed_rows > 3) return;  // enough to look at
    check.check(row);
    failed_rows += testing::Test::HasFailure() ? 1 : 0;
  });
}

std::vector<Vectors> small_ones() {
  std::vector<Vectors> all;
  for (const auto& entry : fs::directory_iterator(test::golden_text_folder() / "tokenizers")) {
    const std::string name = entry.path().stem().stem().string();
    all.push_back({name, entry.path(), test::golden_text_folder() / "vectors" / (name + ".jsonl.gz")});
  }
  return all;
}

class SmallTokenizers : public testing::TestWithParam<Vectors> {};

TEST_P(SmallTokenizers, EqualTheReference) {
  check_vectors(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Golden, SmallTokenizers, testing::ValuesIn(small_ones()),
                         [](const auto& vectors) { return vectors.param.name; });

TEST(SmallTokenizers, AreAllThere) {
  EXPECT_EQ(small_ones().size(), 31U);
}

class PublishedTokenizers : public testing::TestWithParam<const char*> {};

TEST_P(PublishedTokenizers, EqualTheReference) {
  const std::string name = GetParam();
  const fs::path folder = test::shared_text_folder();
  const fs::path tokenizer = folder / "tokenizers" / name / "tokenizer.json.gz";
  if (!fs::exists(tokenizer)) GTEST_SKIP() << tokenizer << " is not there: its vectors are not checked";
  check_vectors({name, tokenizer, folder / "vectors" / (name + ".jsonl")});
}

INSTANTIATE_TEST_SUITE_P(Golden, PublishedTokenizers,
                         testing::Values("deepseek", "gpt2", "llama3", "mistral_v1", "mistral_v3", "olmo2", "qwen3",
                                         "qwen3_5", "smollm2", "tekken"));

}  // namespace
}  // namespace dflash
