#include <algorithm>
#include <cstring>

#include "common/base/error.h"
#include "common/base/hash.h"
#include "common/data/prepared/prepared_folder.h"
#include "common/data/prepared/prepared_index.h"
#include "tests/data/prepared/folder_makers.h"
#include "tests/fuzz/fuzz_target.h"

namespace dflash::fuzz {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kDocuments = 20;  // three shards

/// A whole folder, of which one file is exchanged for each input.
struct WholeFolder {
  WholeFolder() {
    make_folder(path, kDocuments);
    index = read_prepared_index(path);
    index_text = read_text(path / kPreparedName);
    shard_bytes = read_text(path / shard_name(0));
  }
  TempFolder temp;
  fs::path path = temp.path() / "p";
  PreparedIndex index;
  std::string index_text, shard_bytes;
};

/// All that can be asked of a folder that was opened; verify() may still refuse it, but what it accepts is true.
void read_all(const PreparedFolder& folder) {
  ShardFacts found{.documents = folder.count()};
  int32_t least = 0;
  for (int64_t document = 0; document < folder.count(); ++document) {
    const std::span<const int32_t> ids = folder.input_ids(document);
    require(!ids.empty() && static_cast<int64_t>(ids.size()) == folder.length(document), "ids have the length");
    std::vector<uint8_t> mask(ids.size(), 9);
    folder.copy_loss_mask(document, mask);
    require(std::ranges::max(mask) <= 1, "a mask holds 0 and 1");
    found.tokens += folder.length(document);
    found.longest_document = std::max(found.longest_document, folder.length(document));
    found.supervised_tokens += std::ranges::count(mask, 1);
    found.max_id = std::max<int64_t>(found.max_id, std::ranges::max(ids));
    least = std::min(least, std::ranges::min(ids));
  }
  require(found.tokens == folder.totals().tokens, "documents hold all tokens");
  require(found.longest_document == folder.totals().longest_document, "the longest document is the longest");
  folder.verify();
  found.content_hash = folder.hash();
  require(least >= 0 && found == folder.totals(), "what verify() accepts is what the totals say");
}

void open_and_read(const fs::path& folder) {
  try {
    read_all(PreparedFolder::open(folder));
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::input_file, "an error is one of the folder");
  }
}

/// The shard with hashes that fit and an index that tells the same: damage that no hash finds.
void open_sealed(const WholeFolder& folder, std::string bytes) {
  ShardHeader header;
  if (bytes.size() < sizeof(header)) return;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.facts.content_hash = hash_text(std::string_view(bytes).substr(sizeof(header)));
  header = make_shard_header(header.facts);
  std::memcpy(bytes.data(), &header, sizeof(header));
  write_text(folder.path / shard_name(0), bytes);
  open_and_read(folder.path);  // the index tells of another shard
  // Not write_prepared_index: that waits for the disk.
  const PreparedIndex index{folder.index.key, {header.facts}, folder.index.ledger};
  write_text(folder.path / kPreparedName, prepared_index_json(index).dump());
  open_and_read(folder.path);
}

}  // namespace

void prepared(std::string_view bytes) {
  static const WholeFolder folder;
  const bool is_index = bytes.starts_with('{');
  const std::string input(bytes);
  write_text(folder.path / kPreparedName, is_index ? input : folder.index_text);
  write_text(folder.path / shard_name(0), is_index ? folder.shard_bytes : input);
  open_and_read(folder.path);
  if (!is_index) open_sealed(folder, input);
}

std::vector<std::string> prepared_seeds() {
  constexpr int64_t kFewest = 5;
  const TempFolder temp;
  std::vector<std::string> seeds;
  for (int64_t documents = kFewest; documents <= kDocuments; ++documents) {
    const fs::path folder = temp.path() / std::to_string(documents);
    make_folder(folder, documents);
    for (const auto& [name, content] : files_in(folder)) seeds.push_back(content);
  }
  return seeds;
}

}  // namespace dflash::fuzz
