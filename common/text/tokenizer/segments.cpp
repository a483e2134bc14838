#include "common/text/tokenizer/segments.h"

namespace dflash {
namespace {

constexpr size_t kTextsKept = 256;

}  // namespace

void SegmentList::begin(std::string_view input, bool tracked) {
  input_ = input;
  tracked_ = tracked;
  segments_.clear();
  if (!input.empty()) segments_.push_back({TextSlice{input}, std::nullopt});
  texts_used_ = 0;
  altered_bytes_ = 0;
  if (texts_.size() > kTextsKept) texts_.resize(kTextsKept);
}

bool SegmentList::at_input_begin(const TextSlice& slice) const {
  if (slice.origin != nullptr) return slice.origin->begin == 0;
  return slice.text.data() == input_.data();
}

AlignedText& SegmentList::alter(const TextSlice& slice) {
  if (texts_used_ > 0) altered_bytes_ += texts_[texts_used_ - 1].text().size();
  check_growth(altered_bytes_ + slice.text.size(), input_.size());
  if (texts_used_ == texts_.size()) texts_.emplace_back();
  AlignedText& text = texts_[texts_used_++];
  text.assign(slice, input_, tracked_);
  return text;
}

}  // namespace dflash
