// NormalTables: classes of marks, decompositions and compositions of single code points.
//
// Threading: made at the first call of get(), then never changed; decomposition() returns a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/text/unicode/normal_form.h"

namespace dflash {

class NormalTables {
 public:
  [[nodiscard]] static const NormalTables& get();

  /// 0 for what is no mark of the reference's Unicode.
  [[nodiscard]] int combining_class(char32_t code_point) const;

  /// The parts of one code point: itself alone when there are none. The longest has 18.
  class Parts {
   public:
    [[nodiscard]] const char32_t* begin() const { return parts_.data(); }
    [[nodiscard]] const char32_t* end() const { return parts_.data() + size_; }
    [[nodiscard]] size_t size() const { return size_; }
    void push_back(char32_t part) { parts_[size_++] = part; }

   private:
    std::array<char32_t, 24> parts_{};
    size_t size_ = 0;
  };
  [[nodiscard]] Parts decomposition(char32_t code_point, bool compatibility) const;

  /// What the two become together; 0 when they stay apart.
  [[nodiscard]] char32_t composition(char32_t first, char32_t second) const;

  /// True when a code point is unchanged in `form` beside any neighbour.
  [[nodiscard]] bool stands_alone(NormalForm form, char32_t code_point) const {
    if (code_point >= moves_.size()) return code_point < 0xE0000;
    return (moves_[code_point] & (1U << static_cast<unsigned>(form))) == 0;
  }

 private:
  NormalTables();
  void read_compositions();
  void read_moves();

  std::unordered_map<uint64_t, char32_t> compositions_;
  std::vector<uint8_t> moves_;  // a bit for each form in which the code point may change
};

}  // namespace dflash
