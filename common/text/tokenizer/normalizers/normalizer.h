// Normalizer: rewrites a text before it is cut into pieces.
//
// Threading: immutable.
#pragma once

#include <memory>

#include "common/text/tokenizer/aligned_text.h"
#include "common/text/tokenizer/component_fields.h"

namespace dflash {

class Normalizer {
 public:
  Normalizer() = default;
  Normalizer(const Normalizer&) = delete;
  Normalizer& operator=(const Normalizer&) = delete;
  virtual ~Normalizer() = default;

  virtual void apply(AlignedText& text) const = 0;
  /// True when `text` would surely come out as it is: then it need not be copied.
  [[nodiscard]] virtual bool keeps(std::string_view /*text*/) const { return false; }
};

/// The normalizer that `fields` describe. Error{input_file} naming its place, for a type nobody knows too.
[[nodiscard]] std::unique_ptr<const Normalizer> make_normalizer(const ComponentFields& fields);

}  // namespace dflash
