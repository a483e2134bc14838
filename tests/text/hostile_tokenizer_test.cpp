// Files and texts made to hurt: one clear error, or an answer, in bounded time.
#include <gtest/gtest.h>

#include <chrono>

#include "common/text/tokenizer/tokenizer.h"
#include "tests/support/errors.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

class HostileTokenizer : public testing::Test {
 protected:
  // Generous, for machines under load and for sanitizers; what goes wrong here takes hours.
  ~HostileTokenizer() override { EXPECT_LT(std::chrono::steady_clock::now() - begin_, std::chrono::seconds(60)); }

  static Json minimal() { return Json::parse(test::read_any(test::golden_text_folder() / "bad" / "ok_minimal.json")); }
  static void expect_refused(const std::string& json, const std::string& words) {
    const Error error = error_of([&] { (void)Tokenizer::parse(json, "hostile.json"); });
    EXPECT_EQ(error.kind(), ErrorKind::input_file);
    EXPECT_TRUE(says(error, {"hostile.json", words}));
    EXPECT_LT(std::string(error.what()).size(), 1000U);
  }
  static std::vector<uint32_t> ids_of(const Json& json, const std::string& text) {
    const Tokenizer tokenizer = Tokenizer::parse(json.dump(), "hostile.json");
    TokenizerScratch scratch;
    Encoding encoding;
    tokenizer.encode(text, {true, OffsetUnit::characters, false}, scratch, encoding);
    return encoding.ids;
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

TEST_F(HostileTokenizer, DeepJson) {
  const std::string deep(100'000, '[');
  expect_refused(R"({"version":"1.0","normalizer":)" + deep + "}", "not JSON");
  std::string nested = R"({"type":"NFC"})";
  for (int i = 0; i < 100; ++i) nested = R"({"type":"Sequence","normalizers":[)" + nested + "]}";
  expect_refused(R"({"version":"1.0","normalizer":)" + nested + "}", "nests deeper than 64");
}

TEST_F(HostileTokenizer, GiantNumbers) {
  for (const std::string number : {"99999999999999999999999999", "1e999", "-1", "4294967296", "1.5", "true"}) {
    expect_refused(R"({"version":"1.0","model":{"type":"BPE","vocab":{"a":)" + number + R"(},"merges":[]}})", "");
  }
  Json json = minimal();
  json["model"]["vocab"]["far"] = 2147483647;  // no table of two thousand million places
  EXPECT_EQ(ids_of(json, "ab"), (std::vector<uint32_t>{2}));
}

TEST_F(HostileTokenizer, BadUtf8) {
  expect_refused("{\"version\":\"1.0\",\"model\":{\"type\":\"BPE\",\"vocab\":{\"\xFF\":1},\"merges\":[]}}", "not JSON");
  const Tokenizer tokenizer = Tokenizer::parse(minimal().dump(), "hostile.json");
  TokenizerScratch scratch;
  Encoding encoding;
  for (const std::string text : {"\xFF", "a\xC3", "\xED\xA0\x80", "\xC0\x80", "\xF5\x80\x80\x80"}) {
    expect_error(ErrorKind::input_file, "not UTF-8", [&] { tokenizer.encode(text, {}, scratch, encoding); });
  }
}

TEST_F(HostileTokenizer, CyclicMerges) {
  Json json = minimal();  // a + b makes a, which meets the next b
  json["model"]["vocab"] = {{"a", 0}, {"b", 1}, {"ab", 0}, {"ba", 1}};
  json["model"]["merges"] = {"a b", "b a"};
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "ab";
  EXPECT_FALSE(ids_of(json, text).empty());
}

TEST_F(HostileTokenizer, OneLongWord) {
  Json json = minimal();
  EXPECT_EQ(ids_of(json, std::string(2'000'000, 'a')).size(), 2'000'000U);
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "ab";
  EXPECT_EQ(ids_of(json, text).size(), 1'000'000U);
}

TEST_F(HostileTokenizer, CatastrophicRegularExpressions) {
  for (const std::string pattern : {"(a+)+$", "(a|a)*c", "(a*)*b", "((a{1,30}){1,30}){1,30}c"}) {
    Json json = minimal();
    json["pre_tokenizer"] = {
        {"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
    try {
      (void)ids_of(json, std::string(200, 'a') + "!");
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input_file);
      EXPECT_TRUE(says(error, {"hostile.json"}));
    }
  }
}

TEST_F(HostileTokenizer, ManyAddedTokensThatNearlyMatch) {
  Json json = minimal();
  for (uint32_t i = 1; i <= 300; ++i) {
    json["added_tokens"].push_back({{"id", i + 2},
                                    {"content", std::string(i, 'a') + "!"},
                                    {"single_word", false},
                                    {"lstrip", true},
                                    {"rstrip", true},
                                    {"normalized", i % 2 == 0},
                                    {"special", false}});
  }
  EXPECT_EQ(ids_of(json, std::string(100'000, 'a')).size(), 100'000U);
}

// Every prefix and many damages of a good file: refused, or a tokenizer; never worse.
TEST_F(HostileTokenizer, SpoiledFiles) {
  const std::string good =
      test::read_any(test::golden_text_folder() / "tokenizers" / "s10_unigram_precompiled.json.gz");
  size_t refused = 0;
  const auto attempt = [&refused](const std::string& json) {
    try {
      const Tokenizer tokenizer = Tokenizer::parse(json, "spoiled.json");
      TokenizerScratch scratch;
      Encoding encoding;
      tokenizer.encode("caf\xC3\xA9 \xEF\xBC\xA1 two  words", {true, OffsetUnit::bytes, true}, scratch, encoding);
      (void)tokenizer.decode(encoding.ids, true);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input_file) << error.what();
      ++refused;
    }
  };
  for (size_t size = 0; size < good.size(); size += 1 + good.size() / 150) attempt(good.substr(0, size));
  for (size_t at = 0; at < good.size(); at += 1 + good.size() / 400) {
    std::string json = good;
    json[at] = static_cast<char>(json[at] ^ (1 << (at % 7)));
    attempt(json);
  }
  EXPECT_GT(refused, 150U);
}

}  // namespace
}  // namespace dflash
