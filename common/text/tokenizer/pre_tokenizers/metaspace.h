// Metaspace: spaces become a visible character (U+2581 as a rule), which begins each word.
//
// Threading: immutable.
#pragma once

#include <string>

#include "common/text/tokenizer/pre_tokenizers/pre_tokenizer.h"

namespace dflash {

/// Which pieces get a marker in front when they have none: none of them; the one that begins the input; all.
enum class PrependScheme : uint8_t { never, first, always };

struct MetaspaceSettings {
  char32_t replacement = 0x2581;
  PrependScheme prepend = PrependScheme::always;
  bool split = true;
};

/// For the pre-tokenizer and the decoder of that name, new and old spelling (add_prefix_space).
[[nodiscard]] MetaspaceSettings read_metaspace(const ComponentFields& fields);

class Metaspace : public PreTokenizer {
 public:
  explicit Metaspace(const MetaspaceSettings& settings);
  void apply(SegmentList& list) const override;
  [[nodiscard]] bool needs_origins() const override { return settings_.prepend == PrependScheme::first; }

 private:
  [[nodiscard]] TextSlice mark_spaces(SegmentList& list, const TextSlice& slice) const;

  MetaspaceSettings settings_;
  std::string marker_;
};

}  // namespace dflash
