// The odd rows of golden/text, all the way to ids and mask: each ends with its verdict and its result. They were made
// with a published vocabulary, which lies beside the repository or nowhere.
#include <gtest/gtest.h>

#include "common/base/error.h"
#include "common/data/rows/row_file.h"
#include "tests/data/prepare/prepare_makers.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

/// The settings of oddrows.md, and what a row has of its own.
class OddSettings {
 public:
  explicit OddSettings(std::filesystem::path golden) : golden_(std::move(golden)) {
    write_text(tokenizer_, test::read_any(golden_ / "tokenizers" / "smollm2" / "tokenizer.json.gz"));
    mask_token_ = static_cast<int32_t>(Tokenizer::read(tokenizer_).id_of("<empty_output>").value());
  }
  [[nodiscard]] PrepareSettings of(const Json& odd) const {
    const Json own = odd.value("settings", Json::object());
    PrepareSettings settings;
    settings.tokenizer = tokenizer_;
    settings.chat_template = golden_ / "templates" / (own.value("template", "chatml_gen") + ".jinja");
    settings.max_tokens = own.value("max_length", 64);
    settings.min_supervised_tokens = own.value("min_loss_tokens", 2);
    settings.mask_token_id = mask_token_;
    return settings;
  }

 private:
  TempFolder folder_;
  std::filesystem::path golden_;
  std::filesystem::path tokenizer_ = folder_.path() / "tokenizer.json";
  int32_t mask_token_ = 0;
};

std::string input_text(const Json& input) {
  if (input.contains("file")) return input["file"];
  if (input.contains("line")) return input["line"];
  std::string answer;
  for (int i = 0; i < input["build"]["times"].get<int>(); ++i) answer += input["build"]["unit"].get<std::string>();
  return made_row(input["build"]["ask"], answer);
}

std::vector<PreparedRow> rows_of(const std::filesystem::path& path, const PrepareSettings& settings,
                                 const PrepareTexts& texts) {
  RowPreparer preparer(settings, texts);
  RowFile file(path.string());
  std::vector<PreparedRow> rows;
  for (Line line; file.next(line);) rows.push_back(preparer.prepare(line, file.shape()));
  return rows;
}

void expect_row(const Json& expect, const PreparedRow& row) {
  if (expect["verdict"] == "reject") {
    ASSERT_TRUE(row.dropped) << "kept, expected " << expect["reason"];
    EXPECT_EQ(drop_reason_name(*row.dropped), expect["reason"].get<std::string>()) << row.detail;
    return;
  }
  ASSERT_FALSE(row.dropped) << drop_reason_name(*row.dropped) << ": " << row.detail;
  if (!expect.contains("result")) return;
  const Json& result = expect["result"];
  EXPECT_EQ(Json(row.input_ids), result["input_ids"]);
  EXPECT_EQ(Json(row.loss_mask), result["loss_mask"]);
  EXPECT_EQ(row.supervised, result["supervised"].get<int64_t>());
  EXPECT_EQ(row.cut, result["full_length"].get<size_t>() > row.input_ids.size());
}

TEST(PreparedOddRows, EachEndsWithItsVerdictAndResult) {
  const auto golden = test::shared_text_folder();
  if (!std::filesystem::exists(golden)) GTEST_SKIP() << "no published vocabularies beside the repository";
  const OddSettings settings(golden);
  const TempFolder folder;
  std::map<std::filesystem::path, PrepareTexts> texts;  // of each template: they are large, and the cases many
  size_t cases = 0;
  test::for_each_row(golden / "oddrows.jsonl", [&](const Json& odd) {
    SCOPED_TRACE(odd["id"].get<std::string>());
    const auto path = folder.path() / "odd.jsonl";
    write_text(path, input_text(odd["input"]));
    const PrepareSettings own = settings.of(odd);
    if (!texts.contains(own.chat_template)) texts.emplace(own.chat_template, read_texts(own));
    const std::vector<PreparedRow> rows = rows_of(path, own, texts.at(own.chat_template));
    const Json expected = odd["expect"]["verdict"] == "file" ? odd["expect"]["lines"] : Json::array({odd["expect"]});
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); ++i) expect_row(expected[i], rows[i]);
    ++cases;
  });
  EXPECT_EQ(cases, 42U);
}

}  // namespace
}  // namespace dflash
