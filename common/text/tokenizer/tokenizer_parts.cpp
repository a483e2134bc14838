#include "common/text/tokenizer/tokenizer_parts.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/text/tokenizer/tokenizer_file.h"

namespace dflash {
namespace {

constexpr std::array<std::string_view, 9> kKnownKeys = {"version",        "truncation", "padding",
                                                        "added_tokens",   "normalizer", "pre_tokenizer",
                                                        "post_processor", "decoder",    "model"};

constexpr size_t kMostComponents = 200;  // each goes over the whole text

/// How many objects that have a type stand in `json`.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON may nest
size_t count_components(const Json& json) {
  if (!json.is_structured()) return 0;
  size_t count = json.is_object() && json.contains("type") ? 1 : 0;
  for (const Json& part : json) count += count_components(part);
  return count;
}

void check_component_count(const TokenizerFile& file) {
  for (const char* key : {"normalizer", "pre_tokenizer", "post_processor", "decoder"}) {
    const auto place = file.settings.find(key);
    if (place == file.settings.end() || count_components(*place) <= kMostComponents) continue;
    throw Error(ErrorKind::input_file, format("{}: the {} has more than {} parts", file.source, key, kMostComponents));
  }
}

/// Checks what concerns the file as a whole, and hands it on.
const TokenizerFile& checked(const TokenizerFile& file) {
  for (const auto& [key, unused] : file.settings.items()) {
    if (std::ranges::find(kKnownKeys, key) == kKnownKeys.end()) {
      throw Error(ErrorKind::input_file,
                  format("{}: the key '{}' is not known in a tokenizer.json", file.source, one_line(key)));
    }
  }
  const auto version = file.settings.find("version");
  if (version != file.settings.end() && *version != "1.0") {
    throw Error(ErrorKind::input_file,
                format("{}: version {} is not known; expected \"1.0\"", file.source, json_line(*version, 40)));
  }
  check_component_count(file);
  return file;
}

/// What `make` makes of the component `key`; null when the file has none.
template <typename Make>
auto make_component(const TokenizerFile& file, const char* key, Make make)
    -> decltype(make(std::declval<ComponentFields>())) {
  const auto place = file.settings.find(key);
  if (place == file.settings.end() || place->is_null()) return nullptr;
  return make(ComponentFields(*place, component_place(file.source, key)));
}

std::unique_ptr<const TokenModel> make_model(const TokenizerFile& file, PreTokenizer* pre_tokenizer) {
  const bool raw_bytes = pre_tokenizer != nullptr && pre_tokenizer->ends_with_byte_alphabet();
  auto model = make_token_model(file, raw_bytes);
  if (model->takes_raw_bytes()) pre_tokenizer->leave_bytes_raw();
  return model;
}

/// The place of a slice in the input is lost when something has altered it: a normalizer, or another pre-tokenizer.
bool needs_origins_for_itself(const TokenizerParts& parts, const TokenizerFile& file) {
  if (!parts.pre_tokenizer || !parts.pre_tokenizer->needs_origins()) return false;
  return parts.normalizer || file.settings.at("pre_tokenizer").value("type", "") == "Sequence";
}

uint64_t next_number() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

TokenizerParts::TokenizerParts(const TokenizerFile& file)
    : normalizer(make_component(checked(file), "normalizer", make_normalizer)),
      pre_tokenizer(make_component(file, "pre_tokenizer", make_pre_tokenizer)),
      model(make_model(file, pre_tokenizer.get())),
      post_processor(make_component(file, "post_processor", make_post_processor)),
      decoder(make_component(file, "decoder", make_decoder)),
      added(file.settings, file.source, *model, normalizer.get()),
      needs_origins(needs_origins_for_itself(*this, file)),
      number(next_number()) {}

}  // namespace dflash
