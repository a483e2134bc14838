// Value: what a template computes with. The types of Python that templates see, immutable except for the objects.
//
//   Value name = Value::of_text("role");
//   if (const Text* text = value.text()) use(text->bytes);
//
// Threading: a value belongs to one rendering (constants of a template and built-in functions to all: they never
// change).
// Owns: its content, shared with its copies. Containers cannot hold themselves and nest at most kDeepestValue deep.
// Limits: integers have 128 bits; a larger result is a failure, never another number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/text/chat_template/run/failure.h"

namespace dflash::jinja {

__extension__ using Integer = __int128;

class Dict;
class Object;
class Value;
struct Sequence;

constexpr int kDeepestValue = 200;

/// A string of Python: UTF-8, counted and indexed in code points.
struct Text {
  explicit Text(std::string text_bytes, bool is_markup = false);
  std::string bytes;
  size_t characters;
  bool markup;  ///< made by `escape` or `safe`: what is added to it is escaped
  [[nodiscard]] bool ascii() const { return characters == bytes.size(); }
};

/// A name, key or attribute that does not exist. It prints as nothing and is false; most other uses fail.
struct Undefined {
  std::string reason;
  TemplateFailure kind;
};

struct None {};

enum class ValueKind : uint8_t { undefined, none, boolean, integer, real, text, sequence, dict, object };

class Value {
 public:
  Value() : storage_(None{}) {}

  [[nodiscard]] static Value undefined(std::string reason, TemplateFailure kind = TemplateFailure::undefined);
  [[nodiscard]] static Value of_bool(bool value) { return Value(Storage(value)); }
  [[nodiscard]] static Value of_integer(Integer value) { return Value(Storage(value)); }
  [[nodiscard]] static Value of_size(size_t value) { return of_integer(static_cast<Integer>(value)); }
  [[nodiscard]] static Value of_real(double value) { return Value(Storage(value)); }
  [[nodiscard]] static Value of_text(std::string bytes, bool markup = false);
  [[nodiscard]] static Value of_sequence(std::shared_ptr<const Sequence> sequence) {
    return Value(std::move(sequence));
  }
  [[nodiscard]] static Value of_dict(std::shared_ptr<const Dict> dict) { return Value(std::move(dict)); }
  [[nodiscard]] static Value of_object(std::shared_ptr<Object> object) { return Value(std::move(object)); }
  [[nodiscard]] static Value list(std::vector<Value> items);
  [[nodiscard]] static Value tuple(std::vector<Value> items);

  [[nodiscard]] ValueKind kind() const { return static_cast<ValueKind>(storage_.index()); }
  [[nodiscard]] bool is_none() const { return kind() == ValueKind::none; }
  [[nodiscard]] bool is_undefined() const { return kind() == ValueKind::undefined; }
  /// True for integers and booleans, as in Python.
  [[nodiscard]] bool is_integral() const { return kind() == ValueKind::integer || kind() == ValueKind::boolean; }
  [[nodiscard]] bool is_number() const { return is_integral() || kind() == ValueKind::real; }

  /// The content, or null when the value has another kind.
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&storage_); }
  [[nodiscard]] const double* real() const { return std::get_if<double>(&storage_); }
  [[nodiscard]] const Text* text() const { return content<Text>(); }
  [[nodiscard]] const Sequence* sequence() const { return content<Sequence>(); }
  [[nodiscard]] const Dict* dict() const { return content<Dict>(); }
  [[nodiscard]] const Undefined* undefined() const { return content<Undefined>(); }
  [[nodiscard]] Object* object() const;

  /// The number of an integral value.
  [[nodiscard]] Integer integer() const;
  /// The number of any number, rounded to a double.
  [[nodiscard]] double number() const;
  /// 0 for what holds no values, else one more than the deepest of them.
  [[nodiscard]] int depth() const;

 private:
  using Storage =
      std::variant<std::shared_ptr<const Undefined>, None, bool, Integer, double, std::shared_ptr<const Text>,
                   std::shared_ptr<const Sequence>, std::shared_ptr<const Dict>, std::shared_ptr<Object>>;
  explicit Value(Storage storage) : storage_(std::move(storage)) {}
  template <class T>
  [[nodiscard]] const T* content() const {
    const auto* shared = std::get_if<std::shared_ptr<const T>>(&storage_);
    return shared == nullptr ? nullptr : shared->get();
  }
  Storage storage_;
};

enum class SequenceKind : uint8_t { list, tuple, group, generator, range, dict_keys, dict_values, dict_items };

/// Anything with an order. A generator gives each of its items once.
struct Sequence {
  Sequence(SequenceKind sequence_kind, std::vector<Value> values);
  SequenceKind kind;
  int depth;
  std::vector<Value> items;
  mutable size_t taken = 0;  ///< of a generator
};

[[nodiscard]] Value make_sequence(SequenceKind kind, std::vector<Value> items);

/// One more than the deepest of `items`. Fails when that is deeper than kDeepestValue.
[[nodiscard]] int depth_above(const std::vector<Value>& items);

/// True, False, 0, "", [] ... as Python sees them.
[[nodiscard]] bool is_true(const Value& value);

/// The name of the type in messages: str, int, NoneType, list, dict, ...
[[nodiscard]] std::string type_name(const Value& value);

/// Fails with the reason of an undefined value; any other value passes.
void require_defined(const Value& value);

}  // namespace dflash::jinja
