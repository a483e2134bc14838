// Post-processors that put special tokens around a text: TemplateProcessing, BertProcessing, RobertaProcessing.
//
// Threading: functions only.
#pragma once

#include <memory>
#include <string>

#include "common/text/tokenizer/post_processors/post_processor.h"

namespace dflash {

/// The post-processor of this type; null when it is none of these.
[[nodiscard]] std::unique_ptr<const PostProcessor> make_special_tokens(const std::string& type,
                                                                       const ComponentFields& fields);

}  // namespace dflash
