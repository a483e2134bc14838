#include "common/base/error.h"
#include "common/text/chat_template/chat_template.h"
#include "common/text/unicode/utf8.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/text/chat_options.h"

namespace dflash::fuzz {
namespace {

const Json& messages() {
  static const Json list = Json::parse(R"([
    {"role": "system", "content": "You help."},
    {"role": "user", "content": [{"type": "text", "text": "What is 2 + 2?"}]},
    {"role": "assistant", "content": "", "reasoning_content": "Sum.",
     "tool_calls": [{"type": "function", "function": {"name": "add", "arguments": {"a": 2, "b": [2.5, null, true]}}}]},
    {"role": "tool", "name": "add", "content": "4"},
    {"role": "assistant", "content": "4 stra\u00dfe"}])");
  return list;
}

}  // namespace

void chat_template(std::string_view bytes) {
  ChatOptions options = test::options_at_fixed_time();
  options.limits.steps = 100'000;
  options.limits.text_bytes = 1 << 20;
  options.tools =
      Json::parse(R"([{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}])");
  options.bos_token = "<s>";
  options.eos_token = "</s>";
  options.add_generation_prompt = true;
  try {
    const ChatTemplate chat = ChatTemplate::parse(bytes, "fuzzed");
    const RenderedChat rendered = chat.render(messages(), options);
    require(is_utf8(rendered.text), "rendered text is UTF-8");
    const size_t characters = count_characters(rendered.text);
    for (const CharacterSpan& span : rendered.generated)
      require(span.begin <= span.end && span.end <= characters, "generated spans lie in the text");
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::input_file, "an error is one of the template");
  }
}

}  // namespace dflash::fuzz
