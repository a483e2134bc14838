#include "common/config/checked_value.h"

#include <cmath>
#include <limits>

#include "common/base/format.h"
#include "common/config/draft.h"
#include "common/config/key_text.h"

namespace dflash {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

const char* toml_type_text(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

}  // namespace

void ValueChecker::refuse(const toml::node& node, const std::string& why) const {
  throw config_error(source_.place(node.source()), format("'{}' {}", key_.name(), why));
}

void ValueChecker::refuse_type(const toml::node& node, const std::string& expected) const {
  refuse(node, format("expected {}, got {}", expected, toml_type_text(node)));
}

void ValueChecker::check_range(const toml::node& node, double value) const {
  if (!in_range(*key_.field, value)) refuse(node, format("must be {}, got {}", range_text(*key_.field), value));
}

int64_t ValueChecker::integer(const toml::node& node) const {
  const auto* integer = node.as_integer();
  if (integer == nullptr) refuse_type(node, "an integer");
  const int64_t value = integer->get();
  check_range(node, static_cast<double>(value));
  const FieldDescriptor::CppType type = key_.field->cpp_type();
  if (type == FieldDescriptor::CPPTYPE_UINT64 && value < 0) refuse(node, format("must be at least 0, got {}", value));
  using Narrow = std::numeric_limits<int32_t>;
  if (type == FieldDescriptor::CPPTYPE_INT32 && (value < Narrow::min() || value > Narrow::max())) {
    refuse(node, format("must be from {} to {}, got {}", Narrow::min(), Narrow::max(), value));
  }
  return value;
}

double ValueChecker::number(const toml::node& node) const {
  if (!node.is_number()) refuse_type(node, "a number");
  const double value = node.value<double>().value();
  if (!std::isfinite(value)) refuse(node, format("must be a finite number, got {}", value));
  check_range(node, value);
  return value;
}

std::string ValueChecker::string(const toml::node& node) const {
  const auto* string = node.as_string();
  if (string == nullptr) refuse_type(node, "a string");
  const std::string& text = string->get();
  if (!key_.field->options().GetExtension(file_path)) return text;
  if (text.empty()) refuse(node, "must not be empty");
  if (text.find('\0') != std::string::npos) refuse(node, "is not a path: it holds a zero byte");
  const auto path = std::filesystem::absolute(source_.folder / text).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();  // "runs/a/" is "runs/a"
}

bool ValueChecker::boolean(const toml::node& node) const {
  const auto* boolean = node.as_boolean();
  if (boolean == nullptr) refuse_type(node, "true or false");
  return boolean->get();
}

const EnumValueDescriptor* ValueChecker::choice(const toml::node& node) const {
  const auto* string = node.as_string();
  if (string == nullptr) refuse_type(node, "one of " + choices_text(*key_.field));
  const EnumValueDescriptor* choice = key_.field->enum_type()->FindValueByName(string->get());
  if (choice == nullptr) {
    refuse(node, format("must be one of {}, got {}", choices_text(*key_.field), name_text(string->get())));
  }
  return choice;
}

const toml::array& ValueChecker::array(const toml::node& node) const {
  const auto* array = node.as_array();
  if (array == nullptr) {
    const bool one_word = key_.field->options().GetExtension(one_for_all);
    refuse_type(node, (one_word ? "" : "an ") + type_text(*key_.field));
  }
  return *array;
}

const toml::table& ValueChecker::table(const toml::node& node) const {
  const auto* table = node.as_table();
  if (table == nullptr) refuse_type(node, "a " + type_text(*key_.field));
  return *table;
}

Json ValueChecker::json(const toml::node& node) const {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* boolean = node.as_boolean()) return boolean->get();
  if (const auto* number = node.as_floating_point()) {
    if (!std::isfinite(number->get())) refuse(node, format("must be a finite number, got {}", number->get()));
    return number->get();
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const toml::node& element : *array) list.push_back(json(element));
    return list;
  }
  const auto* table = node.as_table();
  if (table == nullptr) refuse_type(node, "texts, numbers, true or false, lists or tables");
  Json object = Json::object();
  for (const auto& [name, element] : *table) object[std::string(name.str())] = json(element);
  return object;
}

void ValueChecker::check_name(const toml::node& node, const std::string& name) const {
  if (!name.empty() && name.find('=') == std::string::npos) return;
  refuse(node, format("holds the name {}: letters, digits and _ make a name", name_text(name)));
}

}  // namespace dflash
