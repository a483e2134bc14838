#include "common/text/chat_template/chat_template.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/text/chat_template/run/rendering.h"
#include "common/text/chat_template/syntax/lexer.h"
#include "common/text/chat_template/syntax/template_parser.h"
#include "common/text/chat_template/values/json_value.h"
#include "common/text/unicode/utf8.h"

namespace dflash {

using jinja::Failure;
using jinja::Rendering;
using jinja::Value;

namespace {

constexpr size_t kLargestTemplateBytes = size_t{4} << 20;

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm result{};
  localtime_r(&now, &result);
  return result;
}

/// Byte spans of `text`, in order of their ends, as spans of characters.
std::vector<CharacterSpan> character_spans(std::string_view text, const std::vector<jinja::ByteSpan>& spans) {
  std::vector<CharacterSpan> result;
  size_t byte = 0;
  size_t character = 0;
  const auto place = [&](size_t at) {
    if (at < byte) return character - count_characters(text.substr(at, byte - at));  // blocks inside each other
    character += count_characters(text.substr(byte, at - byte));
    byte = at;
    return character;
  };
  for (const jinja::ByteSpan& span : spans) {
    const size_t begin = place(span.begin);
    result.push_back({begin, place(span.end)});
  }
  return result;
}

constexpr uint64_t kStepsOfAMessage = 25;  // what it takes to hand it to a template

uint64_t steps_left(const TemplateAllowance& allowance) {
  return allowance.steps - std::min(allowance.steps, allowance.used);
}

std::string used_up(const TemplateAllowance& allowance) {
  return format("the conversation is too long: rendering it for each of its turns took more than {} steps; split it",
                allowance.steps);
}

TemplateLimits limits_of(const ChatOptions& options, size_t messages) {
  TemplateLimits limits = options.limits;
  if (options.allowance == nullptr) return limits;
  const uint64_t left = steps_left(*options.allowance);
  limits.steps = std::min(limits.steps, left - std::min(left, kStepsOfAMessage * messages));
  return limits;
}

void begin_under(TemplateAllowance* allowance, size_t messages) {
  if (allowance == nullptr) return;
  if (allowance->stop != nullptr && *allowance->stop) jinja::fail(TemplateFailure::limit, "stopped");
  allowance->used += kStepsOfAMessage * messages;
  if (steps_left(*allowance) == 0) jinja::fail(TemplateFailure::limit, used_up(*allowance));
}

/// The reason of a failure, of the allowance's when it was that which ended.
std::string reason_under(const TemplateAllowance* allowance, const Failure& failure) {
  const bool ended = allowance != nullptr && failure.kind == TemplateFailure::limit && steps_left(*allowance) == 0;
  return ended ? used_up(*allowance) : failure.reason;
}

}  // namespace

TemplateError::TemplateError(const std::string& name, int line, TemplateFailure failure, std::string reason)
    : Error(ErrorKind::input_file, format("{}, line {}: {}", name, line, one_line(reason))),
      failure_(failure),
      reason_(std::move(reason)) {}

struct ChatTemplate::Parsed {
  std::string name;
  bool marks_generation = false;
  std::set<std::string> variables;
  jinja::Block block;
};

ChatTemplate ChatTemplate::parse(std::string_view source, const std::string& name) {
  auto parsed = std::make_shared<Parsed>();
  parsed->name = name;
  try {
    if (source.size() > kLargestTemplateBytes) {
      jinja::syntax_error(format("a template of more than {} bytes", kLargestTemplateBytes), 1);
    }
    if (!is_utf8(source)) jinja::syntax_error("the template is not valid UTF-8", 1);
    std::vector<jinja::Token> tokens = jinja::tokenize(source);
    for (size_t i = 1; i < tokens.size(); ++i) {
      if (tokens[i - 1].kind == jinja::TokenKind::block_begin && tokens[i].text == "generation") {
        parsed->marks_generation = true;
      }
    }
    jinja::TemplateParser parser(std::move(tokens));
    parsed->block = parser.parse();
    parsed->variables = parser.free_names();
  } catch (const Failure& failure) {
    throw TemplateError(name, failure.line, failure.kind, failure.reason);
  }
  return ChatTemplate(std::move(parsed));
}

RenderedChat ChatTemplate::render(const Json& messages, const ChatOptions& options) const {
  Rendering rendering(options.clock ? options.clock : local_time, limits_of(options, messages.size()));
  const auto pay = [&] {
    if (options.allowance != nullptr) options.allowance->used += rendering.budget.steps();
  };
  try {
    begin_under(options.allowance, messages.size());
    rendering.give("documents", Value());
    for (const auto& [name, value] : options.extra.items()) rendering.give(name, jinja::value_of_json(value));
    if (!options.bos_token.empty()) rendering.give("bos_token", Value::of_text(options.bos_token));
    if (!options.eos_token.empty()) rendering.give("eos_token", Value::of_text(options.eos_token));
    rendering.give("messages", jinja::value_of_json(messages));
    rendering.give("tools", jinja::value_of_json(options.tools));
    rendering.give("add_generation_prompt", Value::of_bool(options.add_generation_prompt));
    rendering.run(parsed_->block);
  } catch (const Failure& failure) {
    pay();
    throw TemplateError(parsed_->name, rendering.line, failure.kind, reason_under(options.allowance, failure));
  }
  pay();
  return {rendering.output(), character_spans(rendering.output(), rendering.generated), rendering.generated_elsewhere};
}

std::string ChatTemplate::render_plain(const Json& variables, const ChatOptions& options) const {
  Rendering rendering(options.clock ? options.clock : local_time, options.limits);
  try {
    for (const auto& [name, value] : variables.items()) rendering.give(name, jinja::value_of_json(value));
    rendering.run(parsed_->block);
  } catch (const Failure& failure) {
    throw TemplateError(parsed_->name, rendering.line, failure.kind, failure.reason);
  }
  return rendering.output();
}

bool ChatTemplate::marks_generation() const {
  return parsed_->marks_generation;
}

const std::set<std::string>& ChatTemplate::variables() const {
  return parsed_->variables;
}

const std::string& ChatTemplate::name() const {
  return parsed_->name;
}

}  // namespace dflash
