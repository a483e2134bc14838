#include "common/text/tokenizer/pre_tokenizers/character_splits.h"

#include <vector>

#include "common/text/tokenizer/pre_tokenizers/split_behavior.h"
#include "common/text/unicode/character_class.h"
#include "common/text/unicode/older_categories.h"

namespace dflash {
namespace {

bool has_class(char32_t code_point, uint16_t bits) {
  return (CharacterClasses::get().of(code_point) & bits) != 0;
}

/// The reference takes these from Unicode 17: ten digits and three numbers more than CharacterClasses knows.
bool is_number(char32_t code_point) {
  return has_class(code_point, CharacterClass::kNumber) || (code_point >= 0x11DE0 && code_point <= 0x11DE9) ||
         (code_point >= 0x16FF4 && code_point <= 0x16FF6);
}

template <typename IsWanted>
void split_at_characters(SegmentList& list, SplitBehavior behavior, const IsWanted& is_wanted) {
  std::vector<Regex::Match> matches;
  list.split_each([&](const TextSlice& slice, auto emit) {
    matches.clear();
    match_characters(slice.text, is_wanted, matches);
    split_at_matches(slice, matches, behavior, /*inverted=*/false, emit);
  });
}

class WhitespaceSplit : public PreTokenizer {
 public:
  void apply(SegmentList& list) const override { split_at_characters(list, SplitBehavior::removed, is_space); }
};

class BertPreTokenizer : public PreTokenizer {
 public:
  void apply(SegmentList& list) const override {
    split_at_characters(list, SplitBehavior::removed, is_space);
    split_at_characters(list, SplitBehavior::isolated, is_bert_punctuation);
  }
};

class Punctuation : public PreTokenizer {
 public:
  explicit Punctuation(SplitBehavior behavior) : behavior_(behavior) {}
  void apply(SegmentList& list) const override { split_at_characters(list, behavior_, is_bert_punctuation); }

 private:
  SplitBehavior behavior_;
};

class Digits : public PreTokenizer {
 public:
  explicit Digits(bool single) : behavior_(single ? SplitBehavior::isolated : SplitBehavior::contiguous) {}
  void apply(SegmentList& list) const override { split_at_characters(list, behavior_, is_number); }

 private:
  SplitBehavior behavior_;
};

class CharDelimiterSplit : public PreTokenizer {
 public:
  explicit CharDelimiterSplit(char32_t delimiter) : delimiter_(delimiter) {}
  void apply(SegmentList& list) const override {
    split_at_characters(list, SplitBehavior::removed, [this](char32_t code_point) { return code_point == delimiter_; });
  }

 private:
  char32_t delimiter_;
};

/// Runs of word characters and runs of what is neither that nor white space.
class Whitespace : public PreTokenizer {
 public:
  void apply(SegmentList& list) const override {
    enum class Kind : uint8_t { space, word, other };
    const auto kind_of = [](char32_t c) {
      return is_word_character(c) ? Kind::word : is_space(c) ? Kind::space : Kind::other;
    };
    list.split_each([&](const TextSlice& slice, auto emit) {
      size_t begin = 0;
      Kind kind = Kind::space;
      for (size_t i = 0; i < slice.text.size();) {
        const Character character = decode_utf8(slice.text.data() + i);
        const Kind here = kind_of(character.code_point);
        if (here != kind) {
          if (kind != Kind::space) emit(slice.part(begin, i));
          begin = i;
          kind = here;
        }
        i += character.bytes;
      }
      if (kind != Kind::space) emit(slice.part(begin, slice.text.size()));
    });
  }
};

class FixedLength : public PreTokenizer {
 public:
  explicit FixedLength(uint32_t characters) : characters_(characters) {}
  void apply(SegmentList& list) const override {
    list.split_each([this](const TextSlice& slice, auto emit) {
      size_t begin = 0;
      uint32_t characters = 0;
      for (size_t i = 0; i < slice.text.size();) {
        i += utf8_bytes(static_cast<unsigned char>(slice.text[i]));
        if (++characters < characters_ && i < slice.text.size()) continue;
        emit(slice.part(begin, i));
        begin = i;
        characters = 0;
      }
    });
  }

 private:
  uint32_t characters_;
};

std::unique_ptr<PreTokenizer> make_fixed_length(const ComponentFields& fields) {
  const uint32_t characters = fields.has("length") ? fields.count("length") : 5;
  if (characters == 0) fields.refuse("length", "must be at least 1");
  return std::make_unique<FixedLength>(characters);
}

}  // namespace

bool is_word_character(char32_t code_point) {
  if (code_point < 0x100 && has_class(code_point, CharacterClass::kOtherNumber)) return false;
  return has_class(code_point, CharacterClass::kWord) || code_point == 0x200C || code_point == 0x200D;
}

std::unique_ptr<PreTokenizer> make_character_split(const std::string& type, const ComponentFields& fields) {
  if (type == "Whitespace") return std::make_unique<Whitespace>();
  if (type == "WhitespaceSplit") return std::make_unique<WhitespaceSplit>();
  if (type == "BertPreTokenizer") return std::make_unique<BertPreTokenizer>();
  if (type == "Punctuation") {
    return std::make_unique<Punctuation>(fields.has("behavior") ? read_split_behavior(fields, "behavior")
                                                                : SplitBehavior::isolated);
  }
  if (type == "Digits") return std::make_unique<Digits>(fields.flag("individual_digits"));
  if (type == "CharDelimiterSplit") return std::make_unique<CharDelimiterSplit>(fields.character("delimiter"));
  if (type == "FixedLength") return make_fixed_length(fields);
  return nullptr;
}

}  // namespace dflash
