#include <algorithm>
#include <vector>

#include "common/text/tokenizer/byte_alphabet.h"
#include "common/text/tokenizer/normalizers/character_normalizers.h"
#include "common/text/tokenizer/normalizers/normalizer.h"
#include "common/text/tokenizer/normalizers/precompiled.h"
#include "common/text/tokenizer/pre_tokenizers/pattern_matcher.h"
#include "common/text/unicode/character_class.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

class Replace : public Normalizer {
 public:
  explicit Replace(const ComponentFields& fields)
      : matcher_(read_pattern(fields, "pattern")), content_(fields.text("content")) {}

  void apply(AlignedText& text) const override {
    std::vector<Regex::Match> matches;
    matcher_->find_all(text.text(), matches);
    for (const Regex::Match& match : matches) text.replace(match.begin, match.end, content_);
    text.finish_replacing();
  }

 private:
  std::unique_ptr<const PatternMatcher> matcher_;
  std::string content_;
};

class Prepend : public Normalizer {
 public:
  explicit Prepend(const ComponentFields& fields) : prefix_(fields.text("prepend")) {}
  void apply(AlignedText& text) const override { text.prepend(prefix_); }

 private:
  std::string prefix_;
};

/// White space at the ends goes.
class Strip : public Normalizer {
 public:
  explicit Strip(const ComponentFields& fields)
      : left_(fields.flag("strip_left")), right_(fields.flag("strip_right")) {}

  void apply(AlignedText& text) const override {
    const std::string_view old = text.text();
    size_t begin = 0;
    size_t end = old.size();
    while (left_ && begin < end && is_space(decode_utf8(old.data() + begin).code_point)) {
      begin += utf8_bytes(static_cast<unsigned char>(old[begin]));
    }
    while (right_ && end > begin && is_space(decode_utf8_before(old, end).code_point)) {
      end -= decode_utf8_before(old, end).bytes;
    }
    text.cut(begin, end);
  }

 private:
  bool left_;
  bool right_;
};

class ByteLevelNormalizer : public Normalizer {
 public:
  void apply(AlignedText& text) const override { spell_as_bytes(text); }
};

class NormalizerSequence : public Normalizer {
 public:
  explicit NormalizerSequence(const ComponentFields& fields) {
    for (const ComponentFields& part : fields.list("normalizers")) parts_.push_back(make_normalizer(part));
  }
  void apply(AlignedText& text) const override {
    for (const auto& part : parts_) part->apply(text);
  }
  [[nodiscard]] bool keeps(std::string_view text) const override {
    return std::ranges::all_of(parts_, [text](const auto& part) { return part->keeps(text); });
  }

 private:
  std::vector<std::unique_ptr<const Normalizer>> parts_;
};

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON may nest
std::unique_ptr<const Normalizer> make_normalizer(const ComponentFields& fields) {
  const std::string type = fields.text("type");
  if (type == "Sequence") return std::make_unique<NormalizerSequence>(fields);
  if (type == "Replace") return std::make_unique<Replace>(fields);
  if (type == "Prepend") return std::make_unique<Prepend>(fields);
  if (type == "Strip") return std::make_unique<Strip>(fields);
  if (type == "ByteLevel") return std::make_unique<ByteLevelNormalizer>();
  if (type == "Precompiled") return make_precompiled(fields);
  if (auto normalizer = make_character_normalizer(type, fields)) return normalizer;
  fields.refuse_type("normalizer",
                     "BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, Precompiled, Prepend, Replace, "
                     "Sequence, Strip, StripAccents");
}

}  // namespace dflash
