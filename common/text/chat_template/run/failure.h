// Failure: why a template could not be parsed or rendered, in the words of the reference implementation.
//
// Thrown inside the chat template folder alone; ChatTemplate turns it into TemplateError, with file and line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace dflash {

enum class TemplateFailure : uint8_t {
  syntax,     ///< the template's text is wrong
  runtime,    ///< a value of the wrong type, a division by zero, ...
  undefined,  ///< something was asked of a name, key or attribute that does not exist
  security,   ///< the template reached for what a template may not touch
  raised,     ///< the template itself called raise_exception
  limit,      ///< too many steps, too much text, nested too deep
};

}  // namespace dflash

namespace dflash::jinja {

struct Failure {
  TemplateFailure kind;
  std::string reason;
  int line = 0;  ///< of a syntax failure; others happen where the rendering stands
};

[[noreturn]] inline void fail(TemplateFailure kind, std::string reason) {
  throw Failure{kind, std::move(reason)};
}
[[noreturn]] inline void syntax_error(std::string reason, int line) {
  throw Failure{TemplateFailure::syntax, std::move(reason), line};
}
[[noreturn]] inline void type_error(std::string reason) {
  fail(TemplateFailure::runtime, std::move(reason));
}

}  // namespace dflash::jinja
