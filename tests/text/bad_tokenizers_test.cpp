// Files that are broken or odd: loaded or refused as the reference library does, with one line that names the file.
#include <gtest/gtest.h>

#include "common/text/tokenizer/tokenizer.h"
#include "tests/support/errors.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

Tokenizer parse_bad(const std::string& file) {
  return Tokenizer::parse(test::read_any(test::golden_text_folder() / "bad" / file), file);
}

std::vector<uint32_t> ids_of(const Tokenizer& tokenizer, const std::string& text) {
  TokenizerScratch scratch;
  Encoding encoding;
  tokenizer.encode(text, {}, scratch, encoding);
  return encoding.ids;
}

void expect_one_line(const Error& error, const std::string& file) {
  EXPECT_EQ(error.kind(), ErrorKind::input_file) << error.what();
  EXPECT_TRUE(says(error, {file}));
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
}

TEST(BadTokenizers, EndAsInTheReference) {
  size_t rows = 0;
  test::for_each_row(test::golden_text_folder() / "bad" / "expect.jsonl", [&rows](const Json& row) {
    ++rows;
    const auto file = row.at("file").get<std::string>();
    SCOPED_TRACE(file);
    if (row.at("reference") == "error") {
      expect_one_line(error_of([&] { (void)parse_bad(file); }), file);
      return;
    }
    const Tokenizer tokenizer = parse_bad(file);
    for (const auto& [token, id] : row.at("vocab").items()) EXPECT_EQ(tokenizer.id_of(token), id.get<uint32_t>());
    if (row.contains("encode_error")) {
      expect_one_line(error_of([&] { (void)ids_of(tokenizer, "abc"); }), file);
      return;
    }
    for (const auto& [text, ids] : row.at("ids").items()) EXPECT_EQ(Json(ids_of(tokenizer, text)), ids) << text;
  });
  EXPECT_EQ(rows, 26U);
}

}  // namespace
}  // namespace dflash
