// Classes, cases and normal forms of every code point against golden/text/unicode.
#include <gtest/gtest.h>

#include <map>

#include "common/text/unicode/character_class.h"
#include "common/text/unicode/normal_form.h"
#include "common/text/unicode/older_categories.h"
#include "common/text/unicode/utf8.h"
#include "tests/text/golden_text.h"

namespace dflash {
namespace {

namespace cc = CharacterClass;

bool is_surrogate(char32_t code_point) {
  return code_point >= 0xD800 && code_point <= 0xDFFF;
}

bool is_hangul(char32_t code_point) {
  return code_point >= 0xAC00 && code_point <= 0xD7A3;
}

Json range_list(uint16_t bits) {
  Json list = Json::array();
  for (const auto& range : CharacterClasses::get().ranges_of(bits))
    list.push_back({uint32_t{range.first}, uint32_t{range.last}});
  return list;
}

TEST(CharacterClasses, AreThoseOfTheReference) {
  const Json props = Json::parse(test::read_any(test::golden_text_folder() / "unicode" / "props.json.gz"));
  const std::map<std::string, uint16_t> classes = {{"\\p{L}", cc::kLetter},       {"\\p{Lu}", cc::kUpper},
                                                   {"\\p{Ll}", cc::kLower},       {"\\p{Lt}", cc::kTitle},
                                                   {"\\p{M}", cc::kMark},         {"\\p{N}", cc::kNumber},
                                                   {"\\p{S}", cc::kSymbol},       {"\\p{P}", cc::kPunctuation},
                                                   {"\\s", cc::kSpace},           {"\\w", cc::kWord},
                                                   {"\\d", cc::kDecimalNumber},   {"\\p{Lm}", cc::kModifierLetter},
                                                   {"\\p{Lo}", cc::kOtherLetter}, {"\\p{Mn}", cc::kNonspacingMark}};
  for (const auto& [name, bits] : classes) EXPECT_EQ(range_list(bits), props.at(name)) << name;
}

std::string text_of(const std::vector<CharacterChange>& changes) {
  std::string text;
  for (const CharacterChange& change : changes) append_utf8(text, change.code_point);
  return text;
}

TEST(NormalForms, OfEveryCodePoint) {
  std::map<char32_t, Json> changed;
  test::for_each_row(test::golden_text_folder() / "unicode" / "normal.jsonl.gz",
                     [&](const Json& row) { changed[row.at("cp").get<uint32_t>()] = row; });
  ASSERT_GT(changed.size(), 8000U);
  const std::map<std::string, NormalForm> forms = {
      {"NFC", NormalForm::c}, {"NFD", NormalForm::d}, {"NFKC", NormalForm::kc}, {"NFKD", NormalForm::kd}};
  for (char32_t code_point = 1; code_point < kCodePoints; ++code_point) {
    if (is_surrogate(code_point) || is_hangul(code_point)) continue;
    const std::string text = to_utf8(code_point);
    const auto row = changed.find(code_point);
    for (const auto& [name, form] : forms) {
      const std::string wanted =
          row != changed.end() && row->second.contains(name) ? row->second.at(name).get<std::string>() : text;
      ASSERT_EQ(text_of(normalize(form, text)), wanted) << name << " of " << std::hex << uint32_t{code_point};
      ASSERT_FALSE(surely_normal(form, text) && wanted != text) << name << " of " << std::hex << uint32_t{code_point};
    }
    if (code_point == 0x130) continue;
    const std::string lower = row != changed.end() && row->second.contains("Lowercase")
                                  ? row->second.at("Lowercase").get<std::string>()
                                  : text;
    ASSERT_EQ(to_utf8(lower_case(code_point)), lower);
  }
}

TEST(NormalForms, MostTextIsSeenToBeNormal) {
  for (const std::string text : {"plain", "na\xC3\xAFve \xC3\xA9t\xC3\xA9", "\xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\x8B",
                                 "\xED\x95\x9C\xEA\xB8\x80", "\xF0\x9F\x98\x80"}) {
    EXPECT_TRUE(surely_normal(NormalForm::c, text)) << text;
  }
  EXPECT_FALSE(surely_normal(NormalForm::c, "e\xCC\x81"));
}

TEST(NormalForms, HangulComesTogether) {
  const std::string apart = text_of(normalize(NormalForm::d, "\xED\x95\x9C\xEA\xB8\x80"));
  EXPECT_EQ(count_characters(apart), 6U);
  EXPECT_EQ(text_of(normalize(NormalForm::c, apart)), "\xED\x95\x9C\xEA\xB8\x80");
}

// Unicode 16, table 3-8: "U+FFFD for non-shortest form sequences" and its neighbours.
TEST(LossyUtf8, ReplacesMaximalParts) {
  const std::string r(kReplacementCharacter);
  EXPECT_EQ(lossy_utf8("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(lossy_utf8("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(lossy_utf8("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(lossy_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), r + r + r + r + "A");
  EXPECT_EQ(lossy_utf8("\xE4\xBD"), r);
  EXPECT_EQ(lossy_utf8("ok \xE4\xBD\xA0"), "ok \xE4\xBD\xA0");
}

// What BERT's tokenizers see is older: marks and signs that came after Unicode 8 do not count.
TEST(OlderCategories, AreOlder) {
  for (const char32_t code_point : {U'$', U'_', U'~', U'\u00A1', U'\u3001', U'\u166D'}) {
    EXPECT_TRUE(is_bert_punctuation(code_point)) << uint32_t{code_point};
  }
  for (const char32_t code_point : {U'a', U' ', U'0', U'\u20AC', U'\u1B4F', U'\u061D'}) {
    EXPECT_FALSE(is_bert_punctuation(code_point)) << uint32_t{code_point};
  }
  EXPECT_TRUE(is_bert_accent(0x301));
  EXPECT_FALSE(is_bert_accent(0x7FD));
  EXPECT_FALSE(is_bert_accent(U'e'));
}

}  // namespace
}  // namespace dflash
