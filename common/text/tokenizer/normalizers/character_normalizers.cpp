#include "common/text/tokenizer/normalizers/character_normalizers.h"

#include <algorithm>

#include "common/text/tokenizer/normalizers/character_filter.h"
#include "common/text/unicode/character_class.h"
#include "common/text/unicode/normal_form.h"
#include "common/text/unicode/older_categories.h"

namespace dflash {
namespace {

char32_t same(char32_t code_point) {
  return code_point;
}

bool has_class(char32_t code_point, uint16_t bits) {
  return (CharacterClasses::get().of(code_point) & bits) != 0;
}

bool is_ascii(std::string_view text) {
  return std::ranges::none_of(text, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; });
}

void to_lower_case(AlignedText& text) {
  std::vector<CharacterChange> changes;
  const std::string_view old = text.text();
  for (size_t i = 0; i < old.size();) {
    const Character character = decode_utf8(old.data() + i);
    i += character.bytes;
    if (character.code_point == 0x130) {  // the only one that becomes two: i and a dot above
      changes.insert(changes.end(), {{U'i', 0}, {0x307, 1}});
    } else {
      changes.push_back({lower_case(character.code_point), 0});
    }
  }
  text.transform(changes);
}

class UnicodeForm : public Normalizer {
 public:
  explicit UnicodeForm(NormalForm form) : form_(form) {}
  void apply(AlignedText& text) const override { text.transform(normalize(form_, text.text())); }
  [[nodiscard]] bool keeps(std::string_view text) const override { return surely_normal(form_, text); }

 private:
  NormalForm form_;
};

class Lowercase : public Normalizer {
 public:
  void apply(AlignedText& text) const override { to_lower_case(text); }
  [[nodiscard]] bool keeps(std::string_view text) const override {
    return std::ranges::none_of(
        text, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80 || (byte >= 'A' && byte <= 'Z'); });
  }
};

class StripAccents : public Normalizer {
 public:
  void apply(AlignedText& text) const override {
    filter_characters(text, [](char32_t c) { return !has_class(c, CharacterClass::kCombining); }, same);
  }
  [[nodiscard]] bool keeps(std::string_view text) const override { return is_ascii(text); }
};

/// The cleaning of the Moses-like tools that machine translation used: controls go, odd spaces become spaces.
class Nmt : public Normalizer {
 public:
  void apply(AlignedText& text) const override { filter_characters(text, is_kept, spaced); }

 private:
  static bool is_kept(char32_t c) {
    return !((c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F);
  }
  static char32_t spaced(char32_t c) {
    const bool space = c == 9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 || (c >= 0x200B && c <= 0x200F) ||
                       c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
    return space ? U' ' : c;
  }
};

class BertNormalizer : public Normalizer {
 public:
  explicit BertNormalizer(const ComponentFields& fields)
      : cleans_(fields.flag("clean_text")),
        spaces_chinese_(fields.flag("handle_chinese_chars")),
        lowers_(fields.flag("lowercase")),
        strips_accents_(fields.flag("strip_accents", lowers_)) {}

  void apply(AlignedText& text) const override {
    if (cleans_) clean(text);
    if (spaces_chinese_) space_chinese(text);
    if (strips_accents_) strip_accents(text);
    if (lowers_) to_lower_case(text);
  }

 private:
  static void clean(AlignedText& text) {
    filter_characters(
        text, [](char32_t c) { return !has_class(c, CharacterClass::kBertRemoved); },
        [](char32_t c) { return has_class(c, CharacterClass::kSpace) ? U' ' : c; });
  }

  static void space_chinese(AlignedText& text) {
    std::vector<CharacterChange> changes;
    const std::string_view old = text.text();
    for (size_t i = 0; i < old.size();) {
      const Character character = decode_utf8(old.data() + i);
      i += character.bytes;
      if (is_chinese(character.code_point)) {
        changes.insert(changes.end(), {{U' ', 0}, {character.code_point, 1}, {U' ', 1}});
      } else {
        changes.push_back({character.code_point, 0});
      }
    }
    text.transform(changes);
  }

  static void strip_accents(AlignedText& text) {
    text.transform(normalize(NormalForm::d, text.text()));
    filter_characters(text, [](char32_t c) { return !is_bert_accent(c); }, same);
  }

  static bool is_chinese(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
           (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
  }

  bool cleans_;
  bool spaces_chinese_;
  bool lowers_;
  bool strips_accents_;
};

}  // namespace

std::unique_ptr<const Normalizer> make_character_normalizer(const std::string& type, const ComponentFields& fields) {
  if (type == "NFC") return std::make_unique<UnicodeForm>(NormalForm::c);
  if (type == "NFD") return std::make_unique<UnicodeForm>(NormalForm::d);
  if (type == "NFKC") return std::make_unique<UnicodeForm>(NormalForm::kc);
  if (type == "NFKD") return std::make_unique<UnicodeForm>(NormalForm::kd);
  if (type == "Lowercase") return std::make_unique<Lowercase>();
  if (type == "StripAccents") return std::make_unique<StripAccents>();
  if (type == "Nmt") return std::make_unique<Nmt>();
  if (type == "BertNormalizer") return std::make_unique<BertNormalizer>(fields);
  return nullptr;
}

}  // namespace dflash
