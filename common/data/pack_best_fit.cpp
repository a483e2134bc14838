#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/pack_order.h"

namespace dflash {

std::vector<std::vector<int64_t>> pack_best_fit(const std::vector<int64_t>& lengths, int64_t pack_tokens) {
  std::vector<size_t> longest_first(lengths.size());
  std::iota(longest_first.begin(), longest_first.end(), size_t{0});
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&lengths](size_t a, size_t b) { return lengths[a] > lengths[b]; });

  std::vector<std::vector<int64_t>> packs;
  std::set<std::pair<int64_t, size_t>> rooms;  // (tokens free, pack); a full pack leaves
  for (const size_t index : longest_first) {
    const int64_t length = lengths[index];
    if (length > pack_tokens) {
      throw Error(ErrorKind::internal, format("a document of {} tokens in packs of {}", length, pack_tokens));
    }
    auto place = rooms.lower_bound({length, 0});  // the least room that fits, of equal ones the oldest pack
    if (place == rooms.end()) {
      place = rooms.emplace(pack_tokens, packs.size()).first;
      packs.emplace_back();
    }
    const auto [room, pack] = *place;
    packs[pack].push_back(static_cast<int64_t>(index));
    rooms.erase(place);
    if (room > length) rooms.emplace(room - length, pack);
  }
  return packs;
}

}  // namespace dflash
