#include "common/data/rows/tool_rules.h"

#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/data/rows/bad_row.h"
#include "common/data/rows/json_row.h"

namespace dflash {
namespace {

constexpr size_t kMostShownBytes = 60;

std::string shown(const Json& value) {
  return json_line(value, kMostShownBytes);
}

bool is_empty_text(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().empty();
}

/// Parses JSON text where it stands instead of a value; BadRow of this reason when it is none.
Json parsed(const Json& value, DropReason reason, const std::string& where) {
  if (!value.is_string()) return value;
  try {
    return parse_embedded_json(value.get_ref<const std::string&>());
  } catch (const BadRow& bad) {
    throw BadRow(reason, format("{}: {}: {}", where, bad.what(), shown(value)));
  }
}

/// `owner` holds name and arguments.
void make_arguments_an_object(Json& owner, const std::string& where) {
  if (!owner.contains("name") || !owner["name"].is_string()) {
    throw BadRow(DropReason::bad_tool_call, format("{} has no name: {}", where, shown(owner)));
  }
  Json& arguments = owner["arguments"];
  if (arguments.is_null() || is_empty_text(arguments)) arguments = Json::object();
  arguments = parsed(arguments, DropReason::bad_tool_call, where + ".arguments");
  if (!arguments.is_object()) {
    throw BadRow(DropReason::bad_tool_call, format("{}.arguments is no object: {}", where, shown(arguments)));
  }
}

Json normal_call(Json call, const std::string& where) {
  if (!call.is_object()) throw BadRow(DropReason::bad_tool_call, format("{} is no object: {}", where, shown(call)));
  const bool wrapped = call.contains("function") && call["function"].is_object();
  make_arguments_an_object(wrapped ? call["function"] : call, where);
  return wrapped ? call : Json{{"type", "function"}, {"function", std::move(call)}};
}

Json calls_of_list(const Json& list, const std::string& where) {
  Json calls = Json::array();
  for (size_t i = 0; i < list.size(); ++i) calls.push_back(normal_call(list[i], format("{}[{}]", where, i)));
  return calls;
}

}  // namespace

Json normal_tools(const Json& tools) {
  if (tools.is_null() || is_empty_text(tools)) return nullptr;
  Json list = parsed(tools, DropReason::bad_tools, "tools");
  if (list.is_null()) return nullptr;
  if (!list.is_array()) throw BadRow(DropReason::bad_tools, format("tools is no list: {}", shown(list)));
  for (size_t i = 0; i < list.size(); ++i) {
    Json& tool = list[i];
    if (!tool.is_object()) throw BadRow(DropReason::bad_tools, format("tools[{}] is no object: {}", i, shown(tool)));
    if (tool.contains("name") && !tool.contains("function")) {
      Json bare = std::move(tool);
      tool = Json{{"type", "function"}, {"function", std::move(bare)}};
    }
  }
  return list.empty() ? Json(nullptr) : list;
}

Json normal_tool_calls(const Json& calls, const std::string& where) {
  const std::string named = where + ".tool_calls";
  if (is_empty_text(calls)) return Json::array();
  const Json list = parsed(calls, DropReason::bad_tool_call, named);
  if (!list.is_array()) throw BadRow(DropReason::bad_tool_call, format("{} is no list: {}", named, shown(list)));
  return calls_of_list(list, named);
}

Json spoken_tool_calls(const std::string& text, const std::string& where) {
  const Json spoken = parsed(text, DropReason::bad_tool_call, where);
  return calls_of_list(spoken.is_array() ? spoken : Json::array({spoken}), where);
}

}  // namespace dflash
