#include "common/data/prepared/prepared_index.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/base/one_line.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "dflash prepared data";
constexpr int64_t kVersion = 1;
constexpr size_t kMostShownBytes = 80;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: {}; prepare the data again", path.string(), why));
}

const Json& field(const Json& object, const char* key, const fs::path& path) {
  const auto found = object.find(key);
  if (found == object.end()) refuse(path, format("key '{}' is missing", key));
  return *found;
}

int64_t read_count(const Json& object, const char* key, const fs::path& path) {
  const Json& value = field(object, key, path);
  constexpr auto kLargest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!value.is_number_unsigned() || value.get<uint64_t>() > kLargest) {
    refuse(path, format("key '{}' is {}, expected a count", key, json_line(value, kMostShownBytes)));
  }
  return value.get<int64_t>();
}

uint64_t read_hash(const Json& object, const char* key, const fs::path& path) {
  const Json& value = field(object, key, path);
  const std::string text = value.is_string() ? value.get<std::string>() : std::string();
  uint64_t hash = 0;
  std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (hash_hex(hash) != text) {
    refuse(path, format("key '{}' is {}, expected a hash of sixteen digits", key, json_line(value, kMostShownBytes)));
  }
  return hash;
}

Json facts_json(const ShardFacts& facts) {
  return {{"documents", facts.documents},
          {"tokens", facts.tokens},
          {"supervised_tokens", facts.supervised_tokens},
          {"longest_document", facts.longest_document},
          {"max_id", facts.max_id},
          {"xxh3", hash_hex(facts.content_hash)}};
}

ShardFacts read_facts(const Json& object, const fs::path& path) {
  if (!object.is_object()) refuse(path, "an entry of 'shards' is no object");
  return {read_count(object, "documents", path),
          read_count(object, "tokens", path),
          read_count(object, "supervised_tokens", path),
          read_count(object, "longest_document", path),
          read_count(object, "max_id", path),
          read_hash(object, "xxh3", path)};
}

/// The object of the file, which must be of this format and version.
Json read_object(const fs::path& path) {
  Json json = read_json_file(path);
  if (!json.is_object()) refuse(path, "no JSON object");
  if (const Json& name = field(json, "format", path); name != kFormat) {
    refuse(path, format("key 'format' is {}, expected \"{}\"", json_line(name, kMostShownBytes), kFormat));
  }
  if (const int64_t version = read_count(json, "version", path); version != kVersion) {
    refuse(path, format("version {}, this program reads {}", version, kVersion));
  }
  return json;
}

Json begin_object() {
  return {{"format", kFormat}, {"version", kVersion}};
}

void write_object(const fs::path& path, const Json& json) {
  // Paths and rows that a ledger quotes need not be UTF-8.
  write_file_atomic(path, json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n");
}

/// Sums must not overflow; 2^40 tokens of a shard would be 4 TiB.
void check_shard(const ShardFacts& facts, size_t number, const fs::path& path) {
  constexpr int64_t kMostTokens = int64_t{1} << 40;
  if (facts.documents == 0 || facts.documents > facts.tokens || facts.tokens > kMostTokens ||
      facts.supervised_tokens > facts.tokens) {
    refuse(path, format("shard {} with {} documents, {} tokens and {} supervised ones cannot be", number,
                        facts.documents, facts.tokens, facts.supervised_tokens));
  }
}

std::vector<ShardFacts> read_shards(const Json& json, const fs::path& path) {
  const Json& list = field(json, "shards", path);
  if (!list.is_array() || list.empty() || list.size() > static_cast<size_t>(kMostShards)) {
    refuse(path, format("key 'shards' is no list of 1 to {} shards", kMostShards));
  }
  std::vector<ShardFacts> shards;
  for (const Json& entry : list) {
    shards.push_back(read_facts(entry, path));
    check_shard(shards.back(), shards.size() - 1, path);
    const std::string expected = shard_name(static_cast<int64_t>(shards.size()) - 1);
    if (const Json& name = field(entry, "file", path); name != expected) {
      refuse(path, format("a shard's 'file' is {}, expected \"{}\"", json_line(name, kMostShownBytes), expected));
    }
    const auto bytes = static_cast<uint64_t>(read_count(entry, "bytes", path));
    if (const auto takes = shard_parts(shards.back().documents, shards.back().tokens).end; bytes != takes) {
      refuse(path, format("{} of {} bytes, but its counts make {}", expected, bytes, takes));
    }
  }
  return shards;
}

}  // namespace

ShardFacts total_of(const std::vector<ShardFacts>& shards) {
  ShardFacts total;
  Hasher hasher;
  for (const ShardFacts& shard : shards) {
    total.documents += shard.documents;
    total.tokens += shard.tokens;
    total.supervised_tokens += shard.supervised_tokens;
    total.longest_document = std::max(total.longest_document, shard.longest_document);
    total.max_id = std::max(total.max_id, shard.max_id);
    hasher.add(std::as_bytes(std::span(&shard, 1)));
  }
  total.content_hash = hasher.value();
  return total;
}

Json prepared_index_json(const PreparedIndex& index) {
  Json json = begin_object();
  json["key"] = index.key;
  json["totals"] = facts_json(total_of(index.shards));
  Json& list = json["shards"] = Json::array();
  for (size_t number = 0; number < index.shards.size(); ++number) {
    const ShardFacts& facts = index.shards[number];
    Json entry = {{"file", shard_name(static_cast<int64_t>(number))},
                  {"bytes", shard_parts(facts.documents, facts.tokens).end}};
    entry.update(facts_json(facts));
    list.push_back(std::move(entry));
  }
  json["ledger"] = index.ledger;
  return json;
}

void write_prepared_index(const fs::path& folder, const PreparedIndex& index) {
  write_object(folder / kPreparedName, prepared_index_json(index));
}

PreparedIndex read_prepared_index(const fs::path& folder) {
  const fs::path path = folder / kPreparedName;
  const Json json = read_object(path);
  PreparedIndex index{field(json, "key", path), read_shards(json, path), field(json, "ledger", path)};
  if (read_facts(field(json, "totals", path), path) != total_of(index.shards)) {
    refuse(path, "its totals are not those of its shards");
  }
  return index;
}

void write_preparing_key(const fs::path& folder, const Json& key) {
  Json json = begin_object();
  json["key"] = key;
  write_object(folder / kPreparingName, json);
}

Json read_preparing_key(const fs::path& folder) {
  const fs::path path = folder / kPreparingName;
  return field(read_object(path), "key", path);
}

void write_shard_state(const fs::path& folder, int64_t number, const ShardState& state) {
  Json json = begin_object();
  json["shard"] = facts_json(state.facts);
  json["state"] = state.state;
  write_object(folder / shard_state_name(number), json);
}

ShardState read_shard_state(const fs::path& folder, int64_t number) {
  const fs::path path = folder / shard_state_name(number);
  const Json json = read_object(path);
  return {read_facts(field(json, "shard", path), path), field(json, "state", path)};
}

}  // namespace dflash
