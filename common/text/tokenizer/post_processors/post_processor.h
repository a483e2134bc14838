// PostProcessor: what is done to the tokens of a text at the end: special tokens around them, blanks cut off offsets.
//
// Threading: immutable.
#pragma once

#include <memory>

#include "common/text/tokenizer/component_fields.h"
#include "common/text/tokenizer/encoding.h"

namespace dflash {

class PostProcessor {
 public:
  PostProcessor() = default;
  PostProcessor(const PostProcessor&) = delete;
  PostProcessor& operator=(const PostProcessor&) = delete;
  virtual ~PostProcessor() = default;

  /// `encoding` has tokens when it has offsets and trims_offsets(). Error{input_file} for a template that names a
  /// token it does not declare.
  virtual void apply(Encoding& encoding, bool special_tokens) const = 0;
  [[nodiscard]] virtual bool trims_offsets() const { return false; }
};

/// The post-processor that `fields` describe. Error{input_file} naming its place, for a type nobody knows too.
[[nodiscard]] std::unique_ptr<const PostProcessor> make_post_processor(const ComponentFields& fields);

}  // namespace dflash
