// Object: values with attributes of their own or that can be called: functions, methods, macros, loop, namespace.
//
// Threading: as Value; built-in functions are shared by all threads and have no state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

class Rendering;

/// What a call, filter or test was given.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

class Object {
 public:
  explicit Object(int depth = 0) : depth_(depth) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  [[nodiscard]] virtual std::string type() const = 0;
  /// Nothing when there is no such attribute.
  [[nodiscard]] virtual std::optional<Value> attribute(const Value& self, std::string_view name);
  [[nodiscard]] virtual bool callable() const { return false; }
  virtual Value call(Rendering& rendering, const Arguments& arguments);
  [[nodiscard]] int depth() const { return depth_; }

 private:
  int depth_;
};

using FunctionPointer = Value (*)(Rendering&, const Arguments&);
using MethodPointer = Value (*)(Rendering&, const Value& self, const Arguments&);

/// A function of the environment: range, dict, raise_exception, ...
class Function : public Object {
 public:
  explicit Function(FunctionPointer function) : function_(function) {}
  [[nodiscard]] std::string type() const override { return "function"; }
  [[nodiscard]] bool callable() const override { return true; }
  Value call(Rendering& rendering, const Arguments& arguments) override { return function_(rendering, arguments); }

 private:
  FunctionPointer function_;
};

/// A method that was taken from its value: 'a,b'.split
class Method : public Object {
 public:
  Method(Value self, MethodPointer method) : Object(self.depth() + 1), self_(std::move(self)), method_(method) {}
  [[nodiscard]] std::string type() const override { return "builtin_function_or_method"; }
  [[nodiscard]] bool callable() const override { return true; }
  Value call(Rendering& rendering, const Arguments& arguments) override { return method_(rendering, self_, arguments); }

 private:
  Value self_;
  MethodPointer method_;
};

}  // namespace dflash::jinja
