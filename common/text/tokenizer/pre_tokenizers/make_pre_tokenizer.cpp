#include <vector>

#include "common/text/tokenizer/byte_alphabet.h"
#include "common/text/tokenizer/pre_tokenizers/character_splits.h"
#include "common/text/tokenizer/pre_tokenizers/known_patterns.h"
#include "common/text/tokenizer/pre_tokenizers/metaspace.h"
#include "common/text/tokenizer/pre_tokenizers/pattern_matcher.h"
#include "common/text/tokenizer/pre_tokenizers/pre_tokenizer.h"
#include "common/text/tokenizer/pre_tokenizers/split_behavior.h"
#include "common/text/tokenizer/pre_tokenizers/unicode_scripts.h"

namespace dflash {
namespace {

class Split : public PreTokenizer {
 public:
  explicit Split(const ComponentFields& fields)
      : matcher_(read_pattern(fields, "pattern")),
        behavior_(read_split_behavior(fields, "behavior")),
        inverted_(fields.flag("invert", false)) {}

  void apply(SegmentList& list) const override {
    thread_local std::vector<Regex::Match> matches;
    list.split_each([this](const TextSlice& slice, auto emit) {
      matches.clear();
      matcher_->find_all(slice.text, matches);
      split_at_matches(slice, matches, behavior_, inverted_, emit);
    });
  }

 private:
  std::unique_ptr<const PatternMatcher> matcher_;
  SplitBehavior behavior_;
  bool inverted_;
};

/// A space in front, the words of GPT-2, and then bytes in the byte alphabet.
class ByteLevel : public PreTokenizer {
 public:
  explicit ByteLevel(const ComponentFields& fields) : adds_space_(fields.flag("add_prefix_space")) {
    if (fields.flag("use_regex", true)) words_ = make_fastest_matcher(kGpt2Pattern, fields.where());
  }

  void apply(SegmentList& list) const override {
    if (adds_space_) add_space(list);
    if (words_) split_words(list);
    if (!raw_) spell_bytes(list);
  }
  [[nodiscard]] bool ends_with_byte_alphabet() const override { return true; }
  void leave_bytes_raw() override { raw_ = true; }

 private:
  static void add_space(SegmentList& list) {
    list.split_each([&list](const TextSlice& slice, auto emit) {
      if (slice.text.starts_with(' ')) return emit(slice);
      AlignedText& text = list.alter(slice);
      text.prepend(" ");
      emit(text.slice());
    });
  }

  void split_words(SegmentList& list) const {
    thread_local std::vector<Regex::Match> matches;
    list.split_each([this](const TextSlice& slice, auto emit) {
      matches.clear();
      words_->find_all(slice.text, matches);
      split_at_matches(slice, matches, SplitBehavior::isolated, /*inverted=*/false, emit);
    });
  }

  static void spell_bytes(SegmentList& list) {
    list.split_each([&list](const TextSlice& slice, auto emit) {
      AlignedText& text = list.alter(slice);
      spell_as_bytes(text);
      emit(text.slice());
    });
  }

  bool adds_space_;
  std::unique_ptr<const PatternMatcher> words_;
  bool raw_ = false;
};

class Sequence : public PreTokenizer {
 public:
  explicit Sequence(const ComponentFields& fields) {
    for (const ComponentFields& part : fields.list("pretokenizers")) parts_.push_back(make_pre_tokenizer(part));
  }
  void apply(SegmentList& list) const override {
    for (const auto& part : parts_) part->apply(list);
  }
  [[nodiscard]] bool ends_with_byte_alphabet() const override {
    return !parts_.empty() && parts_.back()->ends_with_byte_alphabet();
  }
  void leave_bytes_raw() override { parts_.back()->leave_bytes_raw(); }
  [[nodiscard]] bool needs_origins() const override {
    for (const auto& part : parts_) {
      if (part->needs_origins()) return true;
    }
    return false;
  }

 private:
  std::vector<std::unique_ptr<PreTokenizer>> parts_;
};

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON may nest
std::unique_ptr<PreTokenizer> make_pre_tokenizer(const ComponentFields& fields) {
  const std::string type = fields.text("type");
  if (type == "Sequence") return std::make_unique<Sequence>(fields);
  if (type == "Split") return std::make_unique<Split>(fields);
  if (type == "ByteLevel") return std::make_unique<ByteLevel>(fields);
  if (type == "Metaspace") return std::make_unique<Metaspace>(read_metaspace(fields));
  if (type == "UnicodeScripts") return make_unicode_scripts();
  if (auto split = make_character_split(type, fields)) return split;
  fields.refuse_type("pre-tokenizer",
                     "BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, FixedLength, Metaspace, Punctuation, "
                     "Sequence, Split, UnicodeScripts, Whitespace, WhitespaceSplit");
}

}  // namespace dflash
