// Files made to take all time or memory: each ends with one clear error, or an answer, inside 60 s of one core and 2
// GiB, measured in a process of its own. What goes wrong here takes hours or fills the machine.
#include <gtest/gtest.h>

#include "common/text/tokenizer/tokenizer.h"
#include "tests/support/limited_run.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

constexpr int kMostSeconds = 60;
constexpr size_t kMostBytes = size_t{2} << 30U;

Json minimal() {
  return Json::parse(test::read_any(test::golden_text_folder() / "bad" / "ok_minimal.json"));
}

Json repeated(const Json& part, size_t times) {
  Json list = Json::array();
  for (size_t i = 0; i < times; ++i) list.push_back(part);
  return list;
}

/// Loads, encodes, decodes; "ids N", or the kind and text of the error.
std::string outcome(const std::string& json, const std::string& text) {
  try {
    const Tokenizer tokenizer = Tokenizer::parse(json, "hostile.json");
    TokenizerScratch scratch;
    Encoding encoding;
    tokenizer.encode(text, {true, OffsetUnit::characters, false}, scratch, encoding);
    (void)tokenizer.decode(encoding.ids, false);
    return "ids " + std::to_string(encoding.ids.size());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input_file) return std::string("another kind of error: ") + error.what();
    return error.what();
  }
}

void expect_outcome(const std::string& json, const std::string& text, const std::string& words) {
  const test::LimitedRun run = test::run_limited(kMostSeconds, kMostBytes, [&] { return outcome(json, text); });
  EXPECT_TRUE(run.ended_well) << "after " << run.cpu_s << " s and " << (run.memory_bytes >> 20U) << " MiB";
  EXPECT_NE(run.said.find(words), std::string::npos) << run.said.substr(0, 500);
  EXPECT_EQ(run.said.find('\n'), std::string::npos);
  EXPECT_LT(run.said.size(), 1000U);
}

Json replace(const std::string& what, const std::string& content) {
  return {{"type", "Replace"}, {"pattern", {{"String", what}}}, {"content", content}};
}

const Json kByteLevel = {
    {"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", false}, {"use_regex", false}};

TEST(HostileLimits, NormalizersThatBlowUp) {
  Json json = minimal();
  json["normalizer"] = {{"type", "Sequence"}, {"normalizers", repeated(replace("a", std::string(100, 'a')), 12)}};
  expect_outcome(json.dump(), std::string(1000, 'a'), "blow it up");
  json["normalizer"] = {{"type", "Sequence"}, {"normalizers", repeated({{"type", "ByteLevel"}}, 100)}};
  expect_outcome(json.dump(), "caf\xC3\xA9", "blow it up");
  json["normalizer"] = {{"type", "Prepend"}, {"prepend", std::string(1'000'000, 'a')}};
  expect_outcome(json.dump(), "a", "blow it up");
}

TEST(HostileLimits, PreTokenizersThatBlowUp) {
  Json json = minimal();
  json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", repeated(kByteLevel, 100)}};
  expect_outcome(json.dump(), std::string(1000, 'a'), "blow it up");
}

TEST(HostileLimits, DecodersThatBlowUp) {
  Json json = minimal();
  json["decoder"] = {{"type", "Sequence"}, {"decoders", repeated(replace("a", std::string(100, 'a')), 12)}};
  expect_outcome(json.dump(), std::string(1000, 'a'), "blow it up");
  json["decoder"] = replace("a", std::string(1'000'000, 'a'));
  expect_outcome(json.dump(), std::string(100'000, 'a'), "blow it up");
  json["decoder"] = {
      {"type", "Sequence"},
      {"decoders",
       {{{"type", "Fuse"}}, {{"type", "Strip"}, {"content", "a"}, {"start", 4294967295U}, {"stop", 4294967295U}}}}};
  expect_outcome(json.dump(), std::string(1'000'000, 'a'), "ids 1000000");
}

TEST(HostileLimits, PartsWithoutEnd) {
  Json json = minimal();
  json["normalizer"] = {{"type", "Sequence"}, {"normalizers", repeated({{"type", "NFC"}}, 20'000)}};
  expect_outcome(json.dump(), "a", "hostile.json: the normalizer has more than 200 parts");
  json = minimal();
  json["post_processor"] = {{"type", "TemplateProcessing"},
                            {"single", repeated({{"Sequence", {{"id", "A"}, {"type_id", 0}}}}, 20'000)},
                            {"pair", Json::array()},
                            {"special_tokens", Json::object()}};
  expect_outcome(json.dump(), std::string(100'000, 'a'), "'single' has more than 64 pieces");
  std::string numbers = "0";
  for (int i = 0; i < 5'000'000; ++i) numbers += ",0";
  expect_outcome(R"({"version":"1.0","truncation":[)" + numbers + "]}", "a", "more than 4000000 values");
}

// Each search ends far from the limit for one, but there is one for each byte.
TEST(HostileLimits, SlowRegularExpressions) {
  Json json = minimal();
  json["pre_tokenizer"] = {{"type", "Split"},
                           {"pattern", {{"Regex", "(?=(?:(?:a|a){17}c)?)a"}}},
                           {"behavior", "Isolated"},
                           {"invert", false}};
  expect_outcome(json.dump(), std::string(20'000, 'a'), "more than any usable expression needs");
  Json parts = Json::array({json["pre_tokenizer"], json["pre_tokenizer"]});
  parts[0]["pattern"] = {{"Regex", "a{30}"}};
  json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", parts}};
  expect_outcome(json.dump(), std::string(20'000, 'a'), "more than any usable expression needs");
}

TEST(HostileLimits, ExpressionsThatAreLargeWhenCompiled) {
  for (const std::string pattern :
       {"(?:(?:(?:a{1,1000}){1,1000}){1,1000}){1,1000}", "(((((a{99999}){99999}){99999})))b"}) {
    Json json = minimal();
    json["pre_tokenizer"] = {
        {"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
    expect_outcome(json.dump(), "aab", "");
  }
}

TEST(HostileLimits, AddedTokensWithoutEnd) {
  const auto token = [](size_t id, const std::string& content) {
    return Json{{"id", id},        {"content", content}, {"single_word", false}, {"lstrip", false},
                {"rstrip", false}, {"normalized", true}, {"special", false}};
  };
  Json json = minimal();
  json["added_tokens"] = Json::array({token(4294967295U, std::string(5000, 'a'))});
  expect_outcome(json.dump(), "a", "is longer than 4096 bytes");
  json["added_tokens"] = Json::array();
  for (size_t i = 0; i < 1000; ++i)
    json["added_tokens"].push_back(token(4294967295U, std::string(4000, 'a') + std::to_string(i)));
  expect_outcome(json.dump(), std::string(50'000, 'a'), "ids 50000");
  for (size_t i = 0; i < 1000; ++i)
    json["added_tokens"].push_back(token(i, std::to_string(i) + std::string(4000, 'b')));
  expect_outcome(json.dump(), "a", "beyond 4194304 bytes");
  json["added_tokens"] = Json::array();
  for (size_t i = 0; i < 20'000; ++i) json["added_tokens"].push_back(token(i, "a" + std::to_string(i)));
  json["normalizer"] = replace("a", std::string(2000, 'a'));
  expect_outcome(json.dump(), "b", "the normalized added_tokens have more than");
  json["normalizer"] = nullptr;
  expect_outcome(json.dump(), "a19999a3", "ids 2");
}

TEST(HostileLimits, LongUnigramTokens) {
  Json json = minimal();
  json["model"] = {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", Json::array()}};
  json["model"]["vocab"].push_back(Json::array({"a", -1.0}));
  json["model"]["vocab"].push_back(Json::array({std::string(2000, 'a'), -2.0}));
  expect_outcome(json.dump(), "a", "has a token of more than 1024 bytes, at place 1");
  json["model"]["vocab"] = Json::array();
  for (size_t i = 1; i <= 1024; ++i) json["model"]["vocab"].push_back(Json::array({std::string(i, 'a'), -1e308}));
  expect_outcome(json.dump(), std::string(100'000, 'a'), "ids ");
}

TEST(HostileLimits, DamagedCharsmaps) {
  const auto refused = [](const std::string& base64, const std::string& words) {
    Json json = minimal();
    json["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", base64}};
    expect_outcome(json.dump(), "caf\xC3\xA9 a", words);
  };
  refused("*", "is not Base64");
  refused("/////w==", "is cut short");  // a trie of 4 GiB
  refused("AAAAAA==", "ids ");          // an empty one: nothing is replaced
  refused("CAAAAP//////////", "ids ");  // offsets far outside
  refused("AAAAAP8=", "holds strings that are not UTF-8");
  std::string long_string = "AAAAAA";  // no zero ends what follows
  for (int i = 0; i < 10'000; ++i) long_string += "YWFh";
  refused(long_string, "");
}

}  // namespace
}  // namespace dflash
