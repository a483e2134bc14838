// PreTokenizer: cuts slices into the pieces that the model sees, and may alter them.
//
// Threading: immutable.
#pragma once

#include <memory>

#include "common/text/tokenizer/component_fields.h"
#include "common/text/tokenizer/segments.h"

namespace dflash {

class PreTokenizer {
 public:
  PreTokenizer() = default;
  PreTokenizer(const PreTokenizer&) = delete;
  PreTokenizer& operator=(const PreTokenizer&) = delete;
  virtual ~PreTokenizer() = default;

  virtual void apply(SegmentList& list) const = 0;

  /// Whether the last thing it does is to write bytes in the byte alphabet; leave_bytes_raw() then stops that.
  [[nodiscard]] virtual bool ends_with_byte_alphabet() const { return false; }
  virtual void leave_bytes_raw() {}
  /// Whether it must know what part of an altered text comes first in the input.
  [[nodiscard]] virtual bool needs_origins() const { return false; }
};

/// The pre-tokenizer that `fields` describe. Error{input_file} naming its place, for a type nobody knows too.
[[nodiscard]] std::unique_ptr<PreTokenizer> make_pre_tokenizer(const ComponentFields& fields);

}  // namespace dflash
