#include "common/data/prepare/power_histogram.h"

#include <algorithm>
#include <bit>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr int64_t kWidestBar = 40;

int64_t first_of(size_t place) {
  return place == 0 ? 0 : int64_t{1} << (place - 1);
}

}  // namespace

void PowerHistogram::count(int64_t value) {
  const auto place = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(std::max<int64_t>(value, 0))));
  ++counts_[std::min(place, counts_.size() - 1)];
}

Json PowerHistogram::json() const {
  Json list = Json::array();
  for (size_t place = 0; place < counts_.size(); ++place) {
    if (counts_[place] == 0) continue;
    list.push_back({{"from", first_of(place)}, {"below", first_of(place + 1)}, {"rows", counts_[place]}});
  }
  return list;
}

PowerHistogram PowerHistogram::from_json(const Json& json) {
  PowerHistogram histogram;
  try {
    for (const Json& entry : json) {
      const auto place = static_cast<size_t>(std::bit_width(entry.at("from").get<uint64_t>()));
      histogram.counts_.at(place) = entry.at("rows");
    }
  } catch (const std::exception& error) {
    throw Error(ErrorKind::checkpoint, format("no histogram: {}", error.what()));
  }
  return histogram;
}

std::string PowerHistogram::text() const {
  const auto filled = [](int64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts_, filled) - counts_.begin();
  const auto behind = std::find_if(counts_.rbegin(), counts_.rend(), filled).base() - counts_.begin();
  const int64_t most = *std::ranges::max_element(counts_);
  std::string text;
  for (auto place = static_cast<size_t>(first); place < static_cast<size_t>(behind); ++place) {
    const int64_t bar = counts_[place] == 0 ? 0 : std::max<int64_t>(1, counts_[place] * kWidestBar / most);
    const std::string range =
        place < 2 ? format("{}", first_of(place)) : format("{} to {}", first_of(place), first_of(place + 1) - 1);
    text += format("  {:>17} {:>10}  {}\n", range, counts_[place], std::string(static_cast<size_t>(bar), '#'));
  }
  return text;
}

}  // namespace dflash
