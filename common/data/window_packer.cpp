#include "common/data/window_packer.h"

#include <array>
#include <bit>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr int kDigitBits = 11;
constexpr size_t kDigits = size_t{1} << kDigitBits;

}  // namespace

WindowPacker::WindowPacker(int64_t pack_tokens)
    : pack_tokens_(static_cast<int32_t>(pack_tokens)), open_(static_cast<size_t>(pack_tokens)) {}

int64_t WindowPacker::pack(std::span<const int64_t> lengths) {
  open_.clear(rooms_);
  rooms_.clear();
  sort_longest_first(lengths);
  place_all();
  group_by_pack();
  return packs();
}

std::span<const int32_t> WindowPacker::documents_of(int64_t pack) const {
  const auto index = static_cast<size_t>(pack);
  const auto begin = static_cast<size_t>(index == 0 ? 0 : ends_[index - 1]);
  return std::span(grouped_).subspan(begin, static_cast<size_t>(ends_[index]) - begin);
}

/// By the digits of the lengths, lowest first; each pass keeps the order of equal digits.
void WindowPacker::sort_longest_first(std::span<const int64_t> lengths) {
  documents_.resize(lengths.size());
  other_.resize(lengths.size());
  uint32_t all_bits = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] > pack_tokens_) {
      throw Error(ErrorKind::internal, format("a document of {} tokens in packs of {}", lengths[i], pack_tokens_));
    }
    documents_[i] = {static_cast<int32_t>(lengths[i]), static_cast<int32_t>(i)};
    all_bits |= static_cast<uint32_t>(lengths[i]);
  }
  const auto bits = static_cast<int>(std::bit_width(all_bits));
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = [shift](const Document& document) {
      return static_cast<size_t>(document.length >> shift) % kDigits;
    };
    std::array<uint32_t, kDigits> places{};
    for (const Document& document : documents_) ++places[digit(document)];
    uint32_t before = 0;
    for (size_t value = kDigits; value-- > 0;) before += std::exchange(places[value], before);
    for (const Document& document : documents_) other_[places[digit(document)]++] = document;
    documents_.swap(other_);
  }
}

void WindowPacker::place_all() {
  pack_of_.resize(documents_.size());
  const int32_t shortest = documents_.empty() ? 0 : documents_.back().length;
  for (size_t i = 0; i < documents_.size(); ++i) {
    int32_t room = pack_tokens_;
    int32_t pack = open_.take(documents_[i].length, room);
    if (pack == OpenPacks::kNone) {
      pack = static_cast<int32_t>(rooms_.size());
      rooms_.push_back(0);
    }
    pack_of_[i] = pack;
    room -= documents_[i].length;
    rooms_[static_cast<size_t>(pack)] = room;
    // Where nothing will fit any more nobody has to look.
    if (room > 0 && room >= shortest) open_.put(pack, room);
  }
}

void WindowPacker::group_by_pack() {
  ends_.assign(rooms_.size(), 0);
  for (const int32_t pack : pack_of_) ++ends_[static_cast<size_t>(pack)];
  int32_t before = 0;
  for (int32_t& end : ends_) before += std::exchange(end, before);  // now where each begins
  grouped_.resize(documents_.size());
  for (size_t i = 0; i < documents_.size(); ++i) {
    int32_t& place = ends_[static_cast<size_t>(pack_of_[i])];
    grouped_[static_cast<size_t>(place++)] = documents_[i].index;
  }
}

std::vector<std::vector<int64_t>> pack_best_fit(const std::vector<int64_t>& lengths, int64_t pack_tokens) {
  WindowPacker packer(pack_tokens);
  std::vector<std::vector<int64_t>> packs;
  for (int64_t pack = 0, count = packer.pack(lengths); pack < count; ++pack) {
    const auto documents = packer.documents_of(pack);
    packs.emplace_back(documents.begin(), documents.end());
  }
  return packs;
}

}  // namespace dflash
