#include "common/data/rows/json_row.h"

#include <simdjson.h>

#include <algorithm>
#include <unordered_map>

#include "common/base/format.h"
#include "common/data/rows/bad_row.h"

namespace dflash {
namespace {

using Element = simdjson::dom::element;

constexpr int kDeepestNesting = 64;

Json to_json(Element value, int depth);

Json to_list(simdjson::dom::array values, int depth) {
  Json list = Json::array();
  for (const Element value : values) list.push_back(to_json(value, depth));
  return list;
}

/// Puts the fields in their order, the last value of a key that stands twice. An ordered Json looks through all its
/// keys for every new one, so the places are kept here: time stays linear in hostile objects.
Json to_object(simdjson::dom::object fields, int depth) {
  Json json = Json::object();
  auto& object = json.get_ref<Json::object_t&>();
  object.reserve(fields.size());  // growing would copy the values: the keys of an ordered Json cannot be moved
  std::unordered_map<std::string_view, size_t> places;
  for (const auto field : fields) {
    const auto [place, fresh] = places.emplace(field.key, object.size());
    if (fresh) object.emplace_back(std::string(field.key), nullptr);
    (object.begin() + static_cast<std::ptrdiff_t>(place->second))->second = to_json(field.value, depth);
  }
  return json;
}

Json to_json(Element value, int depth) {
  if (depth == kDeepestNesting) throw BadRow(DropReason::bad_json, format("nests deeper than {}", kDeepestNesting));
  switch (value.type()) {
    case simdjson::dom::element_type::ARRAY:
      return to_list(value, depth + 1);
    case simdjson::dom::element_type::OBJECT:
      return to_object(value, depth + 1);
    case simdjson::dom::element_type::INT64:
      return int64_t{value};
    case simdjson::dom::element_type::UINT64:
      return uint64_t{value};
    case simdjson::dom::element_type::DOUBLE:
      return double{value};
    case simdjson::dom::element_type::STRING:
      return std::string(std::string_view(value));
    case simdjson::dom::element_type::BOOL:
      return bool{value};
    case simdjson::dom::element_type::NULL_VALUE:
      break;
  }
  return nullptr;
}

void read_list(const char* key, simdjson::dom::array list, int64_t vocab_size, std::vector<int32_t>& ids) {
  ids.clear();
  for (const Element value : list) {
    int64_t id = 0;
    const auto error = value.get(id);
    if (error == simdjson::INCORRECT_TYPE) {
      throw BadRow(DropReason::bad_tokens, format("{}[{}] is no integer", key, ids.size()));
    }
    if (error || id < 0 || id >= vocab_size) {
      throw BadRow(DropReason::bad_tokens,
                   format("{}[{}] is outside the vocabulary of {}", key, ids.size(), vocab_size));
    }
    ids.push_back(static_cast<int32_t>(id));
  }
}

void read_mask(simdjson::dom::array list, std::vector<uint8_t>& mask) {
  mask.clear();
  for (const Element value : list) {
    bool flag = false;
    int64_t number = 0;
    if (value.get(flag)) {
      if (value.get(number) || number < 0 || number > 1) {
        throw BadRow(DropReason::bad_tokens, format("loss_mask[{}] is neither 0 nor 1", mask.size()));
      }
      flag = number == 1;
    }
    mask.push_back(flag ? 1 : 0);
  }
}

}  // namespace

struct JsonRow::Parsed {
  simdjson::dom::parser parser;
  std::string line;  // with simdjson's padding behind it
  std::vector<std::pair<std::string_view, Element>> fields;

  /// Null when the row has no such field.
  const Element* find(std::string_view key) const {
    const auto found = std::find_if(fields.rbegin(), fields.rend(), [key](const auto& f) { return f.first == key; });
    return found == fields.rend() ? nullptr : &found->second;
  }

  simdjson::dom::array list_of(const char* key) const {
    const Element* value = find(key);
    if (value == nullptr) throw BadRow(DropReason::bad_tokens, format("'{}' is missing", key));
    simdjson::dom::array list;
    if (value->get(list)) throw BadRow(DropReason::bad_tokens, format("'{}' is no list", key));
    return list;
  }
};

Json parse_embedded_json(const std::string& text) {
  simdjson::dom::parser parser;
  Element value;
  if (const auto error = parser.parse(text).get(value)) {
    throw BadRow(DropReason::bad_json, format("no JSON text: {}", simdjson::error_message(error)));
  }
  return to_json(value, 0);
}

JsonRow::JsonRow() : parsed_(std::make_unique<Parsed>()) {}
JsonRow::JsonRow(JsonRow&& other) noexcept = default;
JsonRow& JsonRow::operator=(JsonRow&& other) noexcept = default;
JsonRow::~JsonRow() = default;

void JsonRow::parse(std::string_view line) {
  parsed_->fields.clear();
  parsed_->line.assign(line);
  parsed_->line.reserve(line.size() + simdjson::SIMDJSON_PADDING);
  Element row;
  if (const auto error = parsed_->parser.parse(parsed_->line).get(row)) {
    const bool zero = line.find('\0') != std::string_view::npos;
    throw BadRow(DropReason::bad_json,
                 format("not JSON: {}", zero ? "it holds a zero byte" : simdjson::error_message(error)));
  }
  simdjson::dom::object object;
  if (row.get(object)) {
    const char* hint = row.is_array() ? ": jq -c '.[]' FILE writes the objects of a list so" : "";
    throw BadRow(DropReason::not_an_object, format("not an object, as a row must be{}", hint));
  }
  for (const auto field : object) parsed_->fields.emplace_back(field.key, field.value);
}

std::vector<std::string_view> JsonRow::keys() const {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : parsed_->fields) keys.push_back(key);
  return keys;
}

bool JsonRow::has(std::string_view key) const {
  return parsed_->find(key) != nullptr;
}

bool JsonRow::is_null(std::string_view key) const {
  const Element* value = parsed_->find(key);
  return value != nullptr && value->is_null();
}

Json JsonRow::value(std::string_view key) const {
  const Element* value = parsed_->find(key);
  return value == nullptr ? Json(nullptr) : to_json(*value, 0);
}

void JsonRow::read_ids(const char* key, int64_t vocab_size, std::vector<int32_t>& ids) const {
  read_list(key, parsed_->list_of(key), vocab_size, ids);
}

void JsonRow::read_tokens(int64_t vocab_size, std::vector<int32_t>& input_ids, std::vector<uint8_t>& loss_mask) const {
  read_ids("input_ids", vocab_size, input_ids);
  read_mask(parsed_->list_of("loss_mask"), loss_mask);
  if (input_ids.size() != loss_mask.size()) {
    throw BadRow(DropReason::bad_tokens,
                 format("{} input_ids but {} loss_mask values", input_ids.size(), loss_mask.size()));
  }
}

}  // namespace dflash
