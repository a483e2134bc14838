// OpenPacks: packs that have room left, by their room: gives the pack with the least room that fits, of equal ones the
// one with the lowest number.
//
// A list of packs for every room, in ascending order, and a bitmap of the rooms that have any, with bitmaps of its
// words above it: finding the next room looks at a word or two. Both ends of a list are at hand; a pack that belongs
// into its middle walks there, which is rare and short on lengths of real texts.
//
// Threading: one thread. Owns: 8 bytes for every token of a pack, 4 for every pack.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dflash {

/// A set of the numbers below `size`.
class NumberSet {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  explicit NumberSet(size_t size);
  void insert(size_t number);
  void erase(size_t number);
  /// The least member that is not below `number`, or kNone.
  [[nodiscard]] size_t at_least(size_t number) const;

 private:
  std::vector<std::vector<uint64_t>> levels_;  // bit i of a level: word i of the level before is not zero
};

inline NumberSet::NumberSet(size_t size) {
  do {
    size = (size + 63) / 64;
    levels_.emplace_back(size, 0);
  } while (size > 1);
}

inline void NumberSet::insert(size_t number) {
  for (std::vector<uint64_t>& words : levels_) {
    const bool known = words[number / 64] != 0;
    words[number / 64] |= uint64_t{1} << number % 64;
    if (known) return;
    number /= 64;
  }
}

inline void NumberSet::erase(size_t number) {
  for (std::vector<uint64_t>& words : levels_) {
    words[number / 64] &= ~(uint64_t{1} << number % 64);
    if (words[number / 64] != 0) return;
    number /= 64;
  }
}

inline size_t NumberSet::at_least(size_t number) const {
  for (size_t level = 0; level < levels_.size(); ++level) {
    const size_t word = number / 64;
    if (word >= levels_[level].size()) return kNone;
    if (const uint64_t bits = levels_[level][word] >> number % 64; bits != 0) {
      size_t found = number + static_cast<size_t>(std::countr_zero(bits));
      while (level-- > 0) found = found * 64 + static_cast<size_t>(std::countr_zero(levels_[level][found]));
      return found;
    }
    number = word + 1;
  }
  return kNone;
}

class OpenPacks {
 public:
  static constexpr int32_t kNone = -1;

  explicit OpenPacks(size_t pack_tokens)
      : rooms_(pack_tokens + 1), heads_(pack_tokens + 1, kNone), tails_(pack_tokens + 1, kNone) {}

  /// `pack` has `room` (at most pack_tokens) and is in no list.
  void put(int32_t pack, int32_t room);
  /// Takes a pack with room for `length` out; its room in `room`. kNone when there is no such pack.
  int32_t take(int32_t length, int32_t& room);
  /// No packs. `rooms`: those given to put() since it was empty, or more.
  void clear(std::span<const int32_t> rooms);

 private:
  NumberSet rooms_;
  std::vector<int32_t> heads_, tails_;  // [room]: first and last pack of its list
  std::vector<int32_t> next_;           // [pack]: the one behind it in its list
};

inline void OpenPacks::put(int32_t pack, int32_t room) {
  const auto list = static_cast<size_t>(room), own = static_cast<size_t>(pack);
  if (own >= next_.size()) next_.resize(own + 1);
  int32_t& head = heads_[list];
  int32_t& tail = tails_[list];
  next_[own] = kNone;
  if (head == kNone) {
    rooms_.insert(list);
    head = tail = pack;
  } else if (pack > tail) {
    next_[static_cast<size_t>(tail)] = pack;
    tail = pack;
  } else {
    int32_t* link = &head;
    while (*link < pack) link = &next_[static_cast<size_t>(*link)];
    next_[own] = *link;
    *link = pack;
  }
}

inline int32_t OpenPacks::take(int32_t length, int32_t& room) {
  const size_t list = rooms_.at_least(static_cast<size_t>(length));
  if (list == NumberSet::kNone) return kNone;
  room = static_cast<int32_t>(list);
  const int32_t pack = heads_[list];
  heads_[list] = next_[static_cast<size_t>(pack)];
  if (heads_[list] == kNone) rooms_.erase(list);
  return pack;
}

inline void OpenPacks::clear(std::span<const int32_t> rooms) {
  for (const int32_t room : rooms) {
    const auto list = static_cast<size_t>(room);
    if (heads_[list] == kNone) continue;
    heads_[list] = kNone;
    rooms_.erase(list);
  }
}

}  // namespace dflash
