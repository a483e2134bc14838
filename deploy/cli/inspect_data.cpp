#include "deploy/cli/inspect_data.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/base/terminal_colour.h"
#include "deploy/cli/data_rows.h"
#include "deploy/cli/inspect_cache.h"

namespace dflash {
namespace {

constexpr size_t kMostValueBytes = 400;

struct InspectDataOptions {
  std::vector<std::string> paths;
  std::string tokenizer;
  int64_t rows = 5;
  int64_t first = 0;
  std::optional<uint64_t> random;
  int64_t tokens = 8192;
  std::string color = "auto";
  bool verify = false;
  bool json = false;
};

constexpr const char* kHelp =
    "\nPATH is a folder that dflash prepare wrote, a JSONL file of token ids, or a cache of dflash train (data.cache,\n"
    "prepared-data beside the run), of which the entries are listed with size and last use. Documents are shown as "
    "text with\n"
    "their special tokens; what is supervised is green, or stands in [[ ]] where there are no colours. Line ends are\n"
    "shown as ↵, control characters as \\x1b and the like.";

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

constexpr const char* kVariables = "template_variables";  // whose names are the user's

/// A line for each fact; those of a list of facts below it, further in.
void print_facts(const Json& facts, const std::string& indent, bool own_names = false) {
  for (const auto& item : facts.items()) {
    std::string label = one_line(item.key());
    if (!own_names) std::ranges::replace(label, '_', ' ');
    const Json& value = item.value();
    if (value.is_object()) {
      print(format("{}{}\n", indent, label));
      print_facts(value, indent + "  ", item.key() == kVariables);
    } else {
      const bool plain = value.is_string() && value.get_ref<const std::string&>().size() <= kMostValueBytes;
      print(format("{}{:<19} {}\n", indent, label,
                   plain ? one_line(value.get<std::string>()) : json_line(value, kMostValueBytes)));
    }
  }
}

/// Nothing when only totals are to be shown.
std::optional<Tokenizer> read_tokenizer(const InspectDataOptions& options) {
  if (options.rows == 0 || options.tokenizer.empty()) return std::nullopt;
  return Tokenizer::read(options.tokenizer);
}

std::vector<DataRow> read_rows(const InspectDataOptions& options, const Documents& documents,
                               const Tokenizer& tokenizer) {
  std::vector<DataRow> rows;
  for (const int64_t document : choose_rows(documents.count(), options.rows, options.first, options.random)) {
    rows.push_back(decode_row(documents, document, tokenizer, options.tokens));
  }
  return rows;
}

void inspect_data(const InspectDataOptions& options) {
  const std::optional<Tokenizer> tokenizer = read_tokenizer(options);
  Json all = Json::array();
  for (const std::string& path : options.paths) {
    if (is_data_cache(path)) {
      Json cache = cache_json(path, options.verify);
      if (!options.json) print(describe_cache(cache));
      all.push_back(std::move(cache));
      continue;
    }
    InspectedData data = open_data(path, options.verify);
    const auto rows = tokenizer ? read_rows(options, data.documents, *tokenizer) : std::vector<DataRow>();
    if (options.json) {
      Json& list = data.facts["rows"] = Json::array();
      for (const DataRow& row : rows) list.push_back(row_json(row));
      all.push_back(std::move(data.facts));
      continue;
    }
    print_facts(data.facts, "");
    for (const DataRow& row : rows) print("\n" + describe_row(row, wants_colour(options.color)));
    if (!tokenizer && options.rows > 0) print("documents are shown with --tokenizer MODEL\n");
    if (tokenizer && rows.empty() && options.rows > 0) {
      print(format("no document from {} on: there are {}\n", options.first, data.documents.count()));
    }
    if (path != options.paths.back()) print("\n");
  }
  // ASCII alone: control characters of the data must not reach a terminal this way either.
  if (options.json) print(all.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n");
}

}  // namespace

void add_inspect_data(CLI::App& inspect) {
  const auto options = std::make_shared<InspectDataOptions>();
  CLI::App* command =
      inspect.add_subcommand("data", "prepared data: its totals, and documents with what is supervised");
  command->add_option("PATH", options->paths, "prepared folders, JSONL files of token ids, or caches")->required();
  command->add_option("--tokenizer", options->tokenizer, "a tokenizer.json, or a model's folder");
  command->add_option("--rows", options->rows, "documents to show of each path")
      ->check(CLI::Range(int64_t{0}, int64_t{1'000'000}))
      ->capture_default_str();
  CLI::Option* first = command->add_option("--first", options->first, "number of the first one")
                           ->check(CLI::Range(int64_t{0}, int64_t{1} << 62))
                           ->capture_default_str();
  command->add_option("--random", options->random, "documents drawn by this seed, instead of neighbours")
      ->excludes(first);
  command->add_option("--tokens", options->tokens, "tokens to show of each document, at most")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--color", options->color, "auto (a terminal gets colours), always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command->add_flag("--verify", options->verify, "read a folder's whole content and compare it with its hashes");
  command->add_flag("--json", options->json, "print JSON alone");
  command->footer(kHelp);
  command->callback([options] { inspect_data(*options); });
}

}  // namespace dflash
