// Components that no golden tokenizer has, and keys that are read two ways. Expected pieces come from the reference
// library (tokenizers 0.23.3).
#include <gtest/gtest.h>

#include "common/text/tokenizer/decoders/decoder.h"
#include "common/text/tokenizer/normalizers/normalizer.h"
#include "common/text/tokenizer/post_processors/post_processor.h"
#include "common/text/tokenizer/pre_tokenizers/pre_tokenizer.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

std::vector<std::string> pieces(const Json& json, const std::string& text) {
  const auto pre_tokenizer = make_pre_tokenizer(ComponentFields(json, "test"));
  SegmentList list;
  list.begin(text, true);
  pre_tokenizer->apply(list);
  std::vector<std::string> found;
  for (const Segment& segment : list.segments()) found.emplace_back(segment.slice.text);
  return found;
}

std::string normalized(const Json& json, const std::string& input) {
  const auto normalizer = make_normalizer(ComponentFields(json, "test"));
  AlignedText text;
  text.assign(TextSlice{input}, input, true);
  normalizer->apply(text);
  return std::string(text.text());
}

std::string decoded(const Json& json, std::vector<std::string> tokens) {
  make_decoder(ComponentFields(json, "test"))->apply(tokens);
  std::string all;
  for (const std::string& token : tokens) all += token;
  return all;
}

using Pieces = std::vector<std::string>;

TEST(PreTokenizers, UnicodeScripts) {
  const Json json{{"type", "UnicodeScripts"}};
  EXPECT_EQ(pieces(json, "Apples are りんご 林檎"), (Pieces{"Apples are ", "りんご 林檎"}));
  EXPECT_EQ(pieces(json, " a b"), (Pieces{"a b"}));
  EXPECT_EQ(pieces(json, "ア゛ー漢"), (Pieces{"ア", "゛", "ー漢"}));
  EXPECT_EQ(pieces(json, "abc123 x"), (Pieces{"abc", "123 ", "x"}));
}

TEST(PreTokenizers, FixedLengthAndDelimiter) {
  EXPECT_EQ(pieces({{"type", "FixedLength"}, {"length", 2}}, "aébcd"), (Pieces{"aé", "bc", "d"}));
  EXPECT_EQ(pieces({{"type", "CharDelimiterSplit"}, {"delimiter", "é"}}, "aébéé"), (Pieces{"a", "b"}));
}

TEST(PreTokenizers, MetaspaceInItsOldSpelling) {
  const Json old{{"type", "Metaspace"}, {"replacement", "_"}, {"add_prefix_space", true}};
  EXPECT_EQ(pieces(old, "a b"), (Pieces{"_a", "_b"}));
  const Json without{{"type", "Metaspace"}, {"replacement", "_"}, {"add_prefix_space", false}};
  EXPECT_EQ(pieces(without, "a b"), (Pieces{"a", "_b"}));
  expect_error(ErrorKind::input_file, "add_prefix_space is false", [&] {
    (void)pieces(
        {{"type", "Metaspace"}, {"replacement", "_"}, {"add_prefix_space", false}, {"prepend_scheme", "first"}}, "");
  });
}

TEST(PreTokenizers, EmptyMatchesSplitToo) {
  const Json json{{"type", "Split"}, {"pattern", {{"Regex", "x*"}}}, {"behavior", "Isolated"}, {"invert", false}};
  EXPECT_EQ(pieces(json, "aéxxb"), (Pieces{"a", "é", "xx", "b"}));
}

TEST(Normalizers, Nmt) {
  EXPECT_EQ(normalized({{"type", "Nmt"}},
                       "a\x01"
                       "b\tc\xE2\x80\x8B"
                       "d"),
            "ab c d");
}

TEST(Normalizers, ByteLevelSpellsBytes) {
  EXPECT_EQ(normalized({{"type", "ByteLevel"}}, "a \xC3\xA9"), "aĠÃ©");
}

TEST(Decoders, Ctc) {
  const Json json{{"type", "CTC"}, {"pad_token", "<pad>"}, {"word_delimiter_token", "|"}, {"cleanup", true}};
  EXPECT_EQ(decoded(json, {"<pad>", "h", "h", "<pad>", "i", "i", "|", "|", "y", "<pad>", "y"}), "hi yy");
}

TEST(Decoders, StripNeverRunsDry) {
  const Json json{{"type", "Strip"}, {"content", " "}, {"start", 5}, {"stop", 5}};
  EXPECT_EQ(decoded(json, {" a ", "  ", ""}), "a");
}

TEST(PostProcessors, BertAndRoberta) {
  for (const std::string type : {"BertProcessing", "RobertaProcessing"}) {
    const Json json{{"type", type}, {"sep", {"</s>", 2}}, {"cls", {"<s>", 1}}};
    Encoding encoding{{7, 8}, {{0, 2}, {2, 4}}, {"\xC4\xA0x", "\xC4\xA0y"}};
    make_post_processor(ComponentFields(json, "test"))->apply(encoding, true);
    EXPECT_EQ(encoding.ids, (std::vector<uint32_t>{1, 7, 8, 2}));
    EXPECT_EQ(encoding.tokens, (std::vector<std::string>{"<s>", "\xC4\xA0x", "\xC4\xA0y", "</s>"}));
    EXPECT_EQ(encoding.offsets[1], (TokenOffset{0, 2}));
    EXPECT_EQ(encoding.offsets[2], (TokenOffset{type == "BertProcessing" ? 2U : 3U, 4}));
    EXPECT_EQ(encoding.offsets[3], TokenOffset());
  }
}

TEST(Components, UnknownOnesAreNamed) {
  const Json unknown{{"type", "Sideways"}};
  const ComponentFields fields(unknown, "tokenizer.json: decoder");
  expect_error(ErrorKind::input_file, "tokenizer.json: decoder: the pre-tokenizer 'Sideways'",
               [&] { (void)make_pre_tokenizer(fields); });
  expect_error(ErrorKind::input_file, "the normalizer 'Sideways' is not known", [&] { (void)make_normalizer(fields); });
  expect_error(ErrorKind::input_file, "the decoder 'Sideways' is not known", [&] { (void)make_decoder(fields); });
  expect_error(ErrorKind::input_file, "the post-processor 'Sideways' is not known",
               [&] { (void)make_post_processor(fields); });
}

}  // namespace
}  // namespace dflash
