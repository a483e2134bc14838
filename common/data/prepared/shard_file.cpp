#include "common/data/prepared/shard_file.h"

#include <algorithm>
#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/data/prepared/mask_bits.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: {}; prepare the data again", path.string(), why));
}

/// The counts fit each other and the file, so that nothing computed from them overflows.
void check_counts(const ShardFacts& facts, size_t file_bytes, const fs::path& path) {
  const auto most = static_cast<int64_t>(file_bytes / sizeof(int32_t));
  const bool plausible = facts.documents > 0 && facts.documents <= facts.tokens && facts.tokens <= most &&
                         facts.supervised_tokens >= 0 && facts.supervised_tokens <= facts.tokens &&
                         facts.longest_document > 0 && facts.longest_document <= facts.tokens && facts.max_id >= 0 &&
                         facts.max_id <= INT32_MAX;
  if (!plausible) {
    refuse(path, format("its header speaks of {} documents, {} tokens and {} supervised ones, the longest document of "
                        "{} and ids up to {}, in a file of {} bytes",
                        facts.documents, facts.tokens, facts.supervised_tokens, facts.longest_document, facts.max_id,
                        file_bytes));
  }
  const uint64_t expected = shard_parts(facts.documents, facts.tokens).end;
  if (expected != file_bytes) {
    refuse(path, format("{} documents with {} tokens take {} bytes, the file has {}", facts.documents, facts.tokens,
                        expected, file_bytes));
  }
}

ShardFacts read_facts(std::span<const std::byte> file, const fs::path& path) {
  ShardHeader header;
  if (file.size() < sizeof(header)) {
    refuse(path, format("{} bytes are no shard: expected at least {}", file.size(), sizeof(header)));
  }
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.magic != kShardMagic) refuse(path, "it does not begin as a shard does");
  if (header.version != kShardVersion) {
    refuse(path, format("shard version {}, this program reads {}", header.version, kShardVersion));
  }
  if (header.header_bytes != sizeof(header)) {
    refuse(path, format("a header of {} bytes, expected {}", header.header_bytes, sizeof(header)));
  }
  if (header.header_hash != shard_header_hash(header)) refuse(path, "its header is damaged (hash)");
  check_counts(header.facts, file.size(), path);
  return header.facts;
}

/// A link would let a folder speak for files that lie elsewhere, and change.
MappedFile map_shard(const fs::path& path) {
  std::error_code error;
  if (fs::symlink_status(path, error).type() == fs::file_type::symlink) {
    refuse(path, "a symbolic link, expected the shard itself");
  }
  return MappedFile(path);
}

template <typename T>
std::span<const T> part(std::span<const std::byte> file, uint64_t begin, uint64_t count) {
  // A mapping begins on a page, the parts on multiples of eight behind it.
  return {reinterpret_cast<const T*>(file.data() + begin), count};
}

}  // namespace

ShardFile::ShardFile(const fs::path& path, const ShardFacts& expected)
    : path_(path), file_(map_shard(path)), facts_(read_facts(file_.bytes(), path)) {
  if (facts_ != expected) refuse(path_, "it is another shard than the folder's JSON file tells of");
  const ShardParts parts = shard_parts(facts_.documents, facts_.tokens);
  const auto tokens = static_cast<uint64_t>(facts_.tokens);
  ids_ = part<int32_t>(file_.bytes(), parts.ids, tokens);
  mask_bits_ = part<uint8_t>(file_.bytes(), parts.mask, mask_bytes(tokens));
  offsets_ = part<uint64_t>(file_.bytes(), parts.offsets, static_cast<uint64_t>(facts_.documents) + 1);
  check_offsets();
}

void ShardFile::check_offsets() const {
  uint64_t longest = 0;
  bool ascending = offsets_.front() == 0;
  for (size_t document = 0; document + 1 < offsets_.size(); ++document) {
    ascending = ascending && offsets_[document] < offsets_[document + 1];
    longest = std::max(longest, offsets_[document + 1] - offsets_[document]);
  }
  if (!ascending || offsets_.back() != static_cast<uint64_t>(facts_.tokens)) {
    refuse(path_, format("the documents' offsets do not ascend from 0 to its {} tokens", facts_.tokens));
  }
  if (longest != static_cast<uint64_t>(facts_.longest_document)) {
    refuse(path_, format("its longest document has {} tokens, its header says {}", longest, facts_.longest_document));
  }
}

void ShardFile::verify() const {
  const uint64_t hash = hash_bytes(file_.bytes().subspan(sizeof(ShardHeader)));
  if (hash != facts_.content_hash) {
    refuse(path_, format("its content is damaged: hash {}, its header says {}", hash_hex(hash),
                         hash_hex(facts_.content_hash)));
  }
  const auto [least, greatest] = std::ranges::minmax(ids_);
  if (least < 0 || greatest != facts_.max_id) {
    refuse(path_, format("its ids lie in {}..{}, its header says 0..{}", least, greatest, facts_.max_id));
  }
  // They would be counted too.
  if (const auto used = facts_.tokens % 8; used != 0 && mask_bits_.back() >> used != 0) {
    refuse(path_, "its mask has ones behind the last token");
  }
  if (const int64_t ones = count_mask(mask_bits_); ones != facts_.supervised_tokens) {
    refuse(path_, format("it has {} supervised tokens, its header says {}", ones, facts_.supervised_tokens));
  }
}

}  // namespace dflash
