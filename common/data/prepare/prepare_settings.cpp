#include "common/data/prepare/prepare_settings.h"

#include <limits>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/text/chat_template/fixed_clock.h"

namespace dflash {
namespace {

constexpr int kMostThreads = 1024;

template <typename Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

void check_range(const char* name, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorKind::config, format("{} is {}, expected {} to {}", name, value, least, most));
}

}  // namespace

const char* too_long_name(TooLong rule) {
  return rule == TooLong::cut ? "cut" : "drop";
}

TooLong parse_too_long(const std::string& name) {
  if (name == "cut") return TooLong::cut;
  if (name == "drop") return TooLong::drop;
  throw Error(ErrorKind::config, format("too_long is '{}', expected cut or drop", name));
}

void check_settings(const PrepareSettings& settings) {
  constexpr int64_t kMostId = std::numeric_limits<int32_t>::max();
  check_range("max_tokens", settings.max_tokens, 2, kMostId);
  check_range("min_supervised_tokens", settings.min_supervised_tokens, 0, settings.max_tokens);
  check_range("shard_tokens", settings.shard_tokens, 1, int64_t{1} << 40);
  check_range("threads", settings.threads, 0, kMostThreads);
  if (settings.vocab_size) check_range("vocab_size", *settings.vocab_size, 1, kMostId);
  const int64_t ids = settings.vocab_size.value_or(kMostId);
  if (settings.mask_token_id) check_range("mask_token_id", *settings.mask_token_id, 0, ids - 1);
  static_cast<void>(fixed_clock(settings.now));
}

Json settings_json(const PrepareSettings& settings) {
  Json json{{"supervise", supervise_name(settings.supervise)},
            {"reasoning", settings.reasoning},
            {"max_tokens", settings.max_tokens},
            {"too_long", too_long_name(settings.too_long)},
            {"min_supervised_tokens", settings.min_supervised_tokens},
            {"mask_token_id", number_or_null(settings.mask_token_id)},
            {"vocab_size", number_or_null(settings.vocab_size)},
            {"shape", settings.shape ? row_shape_name(*settings.shape) : "auto"},
            {"now", settings.now},
            {"shard_tokens", settings.shard_tokens}};
  if (!settings.template_variables.empty()) json["template_variables"] = settings.template_variables;
  return json;
}

}  // namespace dflash
