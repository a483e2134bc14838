// SegmentList: a text on its way through pre-tokenizers: an ordered list of slices, some of which are tokens already.
//
//   list.begin(input, tracked);
//   list.split_each([](const TextSlice& slice, auto emit) { emit(slice.part(0, 3)); ... });
//
// Threading: one thread.
// Owns: the texts that were altered on the way, until the next begin().
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "common/text/tokenizer/aligned_text.h"

namespace dflash {

struct Segment {
  TextSlice slice;
  std::optional<uint32_t> token;  ///< when this slice is an added token
};

class SegmentList {
 public:
  /// Starts with all of `input` as one slice (none when it is empty). `tracked`: altered texts keep origins.
  void begin(std::string_view input, bool tracked);

  [[nodiscard]] std::string_view input() const { return input_; }
  [[nodiscard]] bool tracked() const { return tracked_; }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  /// Whether the slice's first byte comes from the first byte of the input. Of an untracked altered text that is not
  /// known, and false.
  [[nodiscard]] bool at_input_begin(const TextSlice& slice) const;

  /// A text of the list's own, with the slice's content. Error{input_file} when all of them together outgrow
  /// growth_limit.h.
  [[nodiscard]] AlignedText& alter(const TextSlice& slice);

  /// Puts in place of each slice that is no token what `split(slice, emit)` emits; empty slices vanish. emit takes a
  /// slice, and an added token's id where it is one.
  template <typename Split>
  void split_each(Split&& split) {
    next_.clear();
    const auto emit = [this](const TextSlice& slice, std::optional<uint32_t> token = std::nullopt) {
      if (!slice.text.empty()) next_.push_back({slice, token});
    };
    for (const Segment& segment : segments_) {
      if (segment.token) {
        next_.push_back(segment);
      } else {
        split(segment.slice, emit);
      }
    }
    segments_.swap(next_);
  }

 private:
  std::string_view input_;
  bool tracked_ = false;
  std::vector<Segment> segments_;
  std::vector<Segment> next_;
  std::deque<AlignedText> texts_;
  size_t texts_used_ = 0;
  size_t altered_bytes_ = 0;  // of all texts in use but the last
};

}  // namespace dflash
