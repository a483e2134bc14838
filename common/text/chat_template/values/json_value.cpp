#include "common/text/chat_template/values/json_value.h"

#include "common/base/format.h"
#include "common/text/chat_template/values/dict.h"
#include "common/text/unicode/utf8.h"

namespace dflash::jinja {
namespace {

std::string valid_text(const std::string& text) {
  if (!is_utf8(text)) type_error("a text of the row is not valid UTF-8");
  return text;
}

Value value_at_depth(const Json& json, int depth) {
  if (depth > kDeepestValue) fail(TemplateFailure::limit, format("the row nests deeper than {}", kDeepestValue));
  if (json.is_object()) {
    std::vector<Dict::Entry> entries;
    entries.reserve(json.size());
    for (const auto& [key, value] : json.items()) {
      entries.emplace_back(Value::of_text(valid_text(key)), value_at_depth(value, depth + 1));
    }
    return make_dict(std::move(entries));
  }
  if (json.is_array()) {
    std::vector<Value> items;
    items.reserve(json.size());
    for (const Json& item : json) items.push_back(value_at_depth(item, depth + 1));
    return Value::list(std::move(items));
  }
  if (json.is_string()) return Value::of_text(valid_text(json.get_ref<const std::string&>()));
  if (json.is_boolean()) return Value::of_bool(json.get<bool>());
  if (json.is_number_unsigned()) return Value::of_integer(static_cast<Integer>(json.get<uint64_t>()));
  if (json.is_number_integer()) return Value::of_integer(static_cast<Integer>(json.get<int64_t>()));
  if (json.is_number()) return Value::of_real(json.get<double>());
  return {};
}

}  // namespace

Value value_of_json(const Json& json) {
  return value_at_depth(json, 1);
}

}  // namespace dflash::jinja
