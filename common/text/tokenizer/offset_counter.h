// OffsetCounter: bytes of a text as characters, quick when asked for places near one another.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/text/unicode/utf8.h"

namespace dflash {

class OffsetCounter {
 public:
  explicit OffsetCounter(std::string_view text) : text_(text) {}

  /// How many characters begin before byte `byte`.
  [[nodiscard]] uint32_t characters_before(size_t byte) {
    for (; at_ < byte; ++at_) characters_ += begins_character(text_[at_]) ? 1 : 0;
    for (; at_ > byte; --at_) characters_ -= begins_character(text_[at_ - 1]) ? 1 : 0;
    return characters_;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  uint32_t characters_ = 0;
};

}  // namespace dflash
