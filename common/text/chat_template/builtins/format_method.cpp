#include "common/text/chat_template/builtins/format_method.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/values/numbers.h"
#include "common/text/chat_template/values/operators.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {
namespace {

const Value& field_value(std::string_view name, size_t& next, const Arguments& arguments) {
  const auto place = name.empty() ? std::optional<Integer>(static_cast<Integer>(next++)) : parse_integer(name, 10);
  if (place) {
    if (*place < 0 || *place >= static_cast<Integer>(arguments.positional.size())) {
      type_error("Replacement index out of range for positional args tuple");
    }
    return arguments.positional[static_cast<size_t>(*place)];
  }
  const auto found =
      std::ranges::find(arguments.named, name, [](const auto& pair) { return std::string_view(pair.first); });
  if (found == arguments.named.end()) type_error(repr(name));
  return found->second;
}

std::string field_text(std::string_view field, size_t& next, const Arguments& arguments, bool markup) {
  if (field.find_first_of(":.[") != std::string_view::npos) {
    type_error(format("format field '{{{}}}': specifications, attributes and items are not supported", field));
  }
  const size_t mark = field.find('!');
  const Value& value = field_value(field.substr(0, mark), next, arguments);
  const std::string_view conversion = mark == std::string_view::npos ? "" : field.substr(mark + 1);
  if (conversion == "r") return repr(value);
  if (!conversion.empty() && conversion != "s") type_error(format("format field '{{{}}}': unknown conversion", field));
  return markup ? escaped(value) : str(value);
}

}  // namespace

Value text_format(Rendering& rendering, const Value& self, const Arguments& arguments) {
  const std::string_view text = self.text()->bytes;
  std::string result;
  size_t next = 0;
  for (size_t at = 0; at < text.size();) {
    const char byte = text[at];
    if ((byte == '{' || byte == '}') && at + 1 < text.size() && text[at + 1] == byte) {
      result += byte;
      at += 2;
    } else if (byte == '{') {
      const size_t end = text.find('}', at);
      if (end == std::string_view::npos) type_error("expected '}' before end of string");
      result += field_text(text.substr(at + 1, end - at - 1), next, arguments, self.text()->markup);
      rendering.budget.spend_text(result.size());
      at = end + 1;
    } else {
      if (byte == '}') type_error("Single '}' encountered in format string");
      result += byte;
      ++at;
    }
  }
  return rendering.make_text(std::move(result), self.text()->markup);
}

}  // namespace dflash::jinja
