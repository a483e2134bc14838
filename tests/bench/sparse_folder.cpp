#include "tests/bench/sparse_folder.h"

#include <algorithm>
#include <fstream>

#include "common/data/prepared/prepared_index.h"

namespace dflash::bench {
namespace {

constexpr size_t kDocumentsPerShard = 1'000'000;

ShardFacts write_shard(const std::filesystem::path& path, std::span<const int64_t> lengths) {
  std::vector<uint64_t> offsets{0};
  for (const int64_t length : lengths) offsets.push_back(offsets.back() + static_cast<uint64_t>(length));
  const ShardFacts facts{static_cast<int64_t>(lengths.size()),
                         static_cast<int64_t>(offsets.back()),
                         0,
                         *std::ranges::max_element(lengths),
                         0,
                         0};
  const ShardHeader header = make_shard_header(facts);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof(header));
  file.seekp(static_cast<std::streamoff>(shard_parts(facts.documents, facts.tokens).offsets));
  file.write(reinterpret_cast<const char*>(offsets.data()), static_cast<std::streamsize>(offsets.size() * 8));
  return facts;
}

}  // namespace

PreparedFolder make_sparse_folder(const std::filesystem::path& folder, const std::vector<int64_t>& lengths) {
  std::filesystem::create_directories(folder);
  PreparedIndex index;
  for (size_t begin = 0; begin < lengths.size(); begin += kDocumentsPerShard) {
    const auto shard = std::span(lengths).subspan(begin, std::min(kDocumentsPerShard, lengths.size() - begin));
    index.shards.push_back(write_shard(folder / shard_name(static_cast<int64_t>(index.shards.size())), shard));
  }
  write_prepared_index(folder, index);
  return PreparedFolder::open(folder);
}

}  // namespace dflash::bench
