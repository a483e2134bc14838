#include "common/eval/prompts.h"

#include <string_view>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/json.h"

namespace dflash {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: {}", where, why));
}

Prompt parse_prompt(std::string_view line, const std::string& where, int64_t vocab_size) {
  const Json row = parse_json(line, where);
  if (!row.is_object() || !row.contains("prompt_ids") || !row["prompt_ids"].is_array() || row["prompt_ids"].empty()) {
    refuse(where, "expected an object with \"prompt_ids\", a list of at least one token id");
  }
  Prompt prompt;
  for (const Json& id : row["prompt_ids"]) {
    if (!id.is_number_integer() || id.get<int64_t>() < 0 || id.get<int64_t>() >= vocab_size) {
      refuse(where, format("token id {} is not in the target's vocabulary of {}", id.dump(), vocab_size));
    }
    prompt.ids.push_back(id.get<int64_t>());
  }
  const auto kind = row.find("kind");
  if (kind != row.end() && !kind->is_string()) refuse(where, "\"kind\" must be a string");
  prompt.kind = kind == row.end() ? "all" : kind->get<std::string>();
  return prompt;
}

}  // namespace

std::vector<Prompt> read_prompts(const std::filesystem::path& path, int64_t vocab_size) {
  const MappedFile file(path);
  std::vector<Prompt> prompts;
  std::string_view rest = file.text();
  for (int64_t number = 1; !rest.empty(); ++number) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    prompts.push_back(parse_prompt(line, format("{}:{}", path.string(), number), vocab_size));
  }
  if (prompts.empty()) refuse(path.string(), "holds no prompt");
  return prompts;
}

}  // namespace dflash
