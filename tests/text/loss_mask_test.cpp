// Masks of whole conversations against golden/text/maskcases, by published vocabularies and templates; and the rule of
// the overlap.
#include "common/text/loss_mask/loss_mask.h"

#include <gtest/gtest.h>

#include <map>

#include "common/text/chat_template/prepare_messages.h"
#include "tests/text/case_folder.h"

namespace dflash {
namespace {

using test::CaseFolder;
using Mask = std::vector<uint8_t>;

TEST(LossMask, ATokenThatOverlapsASpanIsSupervised) {
  const std::vector<TokenOffset> tokens{{0, 2}, {2, 5}, {5, 5}, {5, 6}, {6, 9}, {0, 0}, {9, 12}};
  const auto mask = [&](const std::vector<CharacterSpan>& spans) { return overlap_mask(tokens, spans); };
  EXPECT_EQ(mask({}), Mask(7, 0));
  EXPECT_EQ(mask({{2, 5}}), (Mask{0, 1, 0, 0, 0, 0, 0})) << "borders are shared, not overlapped";
  EXPECT_EQ(mask({{1, 3}}), (Mask{1, 1, 0, 0, 0, 0, 0})) << "lies across the border";
  EXPECT_EQ(mask({{0, 1}, {8, 10}}), (Mask{1, 0, 0, 0, 1, 0, 1}));
  EXPECT_EQ(mask({{5, 6}}), (Mask{0, 0, 0, 1, 0, 0, 0})) << "a token without characters overlaps nothing";
}

class Tokenizers {
 public:
  explicit Tokenizers(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// Null when its vocabulary is not stored.
  const Tokenizer* find(const std::string& name) {
    const auto place = known_.find(name);
    if (place != known_.end()) return &place->second;
    for (const char* file : {"tokenizer.json", "tokenizer.json.gz"}) {
      const auto path = folder_ / name / file;
      if (!std::filesystem::exists(path)) continue;
      return &known_.emplace(name, Tokenizer::parse(test::read_any(path), path.string())).first->second;
    }
    return nullptr;
  }

 private:
  std::filesystem::path folder_;
  std::map<std::string, Tokenizer> known_;
};

MaskedChat mask(const Tokenizer& tokenizer, CaseFolder& cases, const Json& row, Supervise supervise) {
  TokenizerScratch scratch;
  return mask_chat(tokenizer, scratch, cases.chat(row.at("template")), prepare_messages(row.at("messages")),
                   cases.options(row), {.supervise = supervise});
}

int64_t sum(const Mask& mask) {
  int64_t count = 0;
  for (const uint8_t one : mask) count += one;
  return count;
}

/// By the spans that the reference found.
Mask mask_of_spans(const Tokenizer& tokenizer, const Json& row) {
  TokenizerScratch scratch;
  Encoding encoding;
  tokenizer.encode(row.at("text").get<std::string>(), {.special_tokens = false, .offsets = OffsetUnit::characters},
                   scratch, encoding);
  std::vector<CharacterSpan> spans;
  for (const Json& span : row.at("spans")) spans.push_back({span.at(0).get<size_t>(), span.at(1).get<size_t>()});
  return overlap_mask(encoding.offsets, spans);
}

TEST(LossMask, OfPublishedTemplatesIsTheReferences) {
  const auto folder = test::shared_text_folder();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no published vocabularies beside the repository";
  CaseFolder cases(folder / "templates");
  Tokenizers tokenizers(folder / "tokenizers");
  size_t compared = 0;
  test::for_each_row(folder / "maskcases.jsonl", [&](const Json& row) {
    const Tokenizer* tokenizer = tokenizers.find(row.at("tokenizer"));
    if (tokenizer == nullptr) return;
    const MaskedChat masked = mask(*tokenizer, cases, row, Supervise::all_turns);
    const std::string label = row.at("tokenizer").get<std::string>() + "/" + test::label(row);
    EXPECT_EQ(masked.turns.text, row.at("text").get<std::string>()) << label;
    EXPECT_EQ(Json(masked.ids), row.at("input_ids")) << label;
    EXPECT_EQ(Json(mask_of_spans(*tokenizer, row)), row.at("loss_mask")) << label;
    if (row.at("chat") == "user_holds_markers" && row.at("rule") == "markers") {
      // What a user writes is not the assistant's, whatever a regular expression for markers finds in it.
      EXPECT_EQ(masked.turns.spans.size(), 1U) << label;
      EXPECT_LT(sum(masked.loss_mask), row.at("supervised").get<int64_t>()) << label;
    } else {
      EXPECT_EQ(Json(masked.loss_mask), row.at("loss_mask")) << label;
    }
    ++compared;

    EXPECT_EQ(mask(*tokenizer, cases, row, Supervise::everything).loss_mask, Mask(masked.ids.size(), 1)) << label;
    const Mask last = mask(*tokenizer, cases, row, Supervise::last_turn).loss_mask;
    EXPECT_EQ(sum(last) == sum(masked.loss_mask), masked.turns.spans.size() <= 1) << label;
    for (size_t i = 0; i < last.size(); ++i) EXPECT_LE(last[i], masked.loss_mask[i]) << label;
  });
  EXPECT_GE(compared, 194U);
}

}  // namespace
}  // namespace dflash
