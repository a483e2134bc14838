#include <algorithm>
#include <vector>

#include "common/text/tokenizer/post_processors/post_processor.h"
#include "common/text/tokenizer/post_processors/special_tokens.h"
#include "common/text/tokenizer/post_processors/trim_offsets.h"

namespace dflash {
namespace {

class ByteLevelTrimming : public PostProcessor {
 public:
  explicit ByteLevelTrimming(const ComponentFields& fields)
      : trims_(fields.flag("trim_offsets")), adds_space_(fields.flag("add_prefix_space")) {}
  void apply(Encoding& encoding, bool /*special_tokens*/) const override {
    if (trims_) trim_offsets(encoding, adds_space_);
  }
  [[nodiscard]] bool trims_offsets() const override { return trims_; }

 private:
  bool trims_;
  bool adds_space_;
};

class PostProcessorSequence : public PostProcessor {
 public:
  explicit PostProcessorSequence(const ComponentFields& fields) {
    for (const ComponentFields& part : fields.list("processors")) parts_.push_back(make_post_processor(part));
  }
  void apply(Encoding& encoding, bool special_tokens) const override {
    for (const auto& part : parts_) part->apply(encoding, special_tokens);
  }
  [[nodiscard]] bool trims_offsets() const override {
    return std::ranges::any_of(parts_, [](const auto& part) { return part->trims_offsets(); });
  }

 private:
  std::vector<std::unique_ptr<const PostProcessor>> parts_;
};

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON may nest
std::unique_ptr<const PostProcessor> make_post_processor(const ComponentFields& fields) {
  const std::string type = fields.text("type");
  if (type == "Sequence") return std::make_unique<PostProcessorSequence>(fields);
  if (type == "ByteLevel") return std::make_unique<ByteLevelTrimming>(fields);
  if (auto processor = make_special_tokens(type, fields)) return processor;
  fields.refuse_type("post-processor", "BertProcessing, ByteLevel, RobertaProcessing, Sequence, TemplateProcessing");
}

}  // namespace dflash
