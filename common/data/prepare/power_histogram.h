// PowerHistogram: counts by powers of two.
//
// Threading: one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "common/base/json.h"

namespace dflash {

/// Place 0 holds 0, place n holds [2^(n-1), 2^n); the last one holds all above as well.
class PowerHistogram {
 public:
  /// A negative value counts as 0.
  void count(int64_t value);
  [[nodiscard]] int64_t at(size_t place) const { return counts_.at(place); }

  /// [{"from": first, "below": end, "rows": count}, ...] of the places that are not empty.
  [[nodiscard]] Json json() const;
  /// Error{checkpoint} for what json() never wrote.
  [[nodiscard]] static PowerHistogram from_json(const Json& json);
  /// A line with a bar for each place between the first and the last that are not empty.
  [[nodiscard]] std::string text() const;

 private:
  std::array<int64_t, 33> counts_{};
};

}  // namespace dflash
