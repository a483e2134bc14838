// ChatTemplate: a Jinja template of a model, and the text it makes of a conversation; as transformers renders it.
//
//   const ChatTemplate chat = ChatTemplate::parse(source, "chat_template.jinja");
//   const RenderedChat rendered = chat.render(messages, options);
//
// Untrusted in every part: templates and rows cannot reach anything outside, and stop at the limits of the options.
//
// Threading: immutable after parse; one template renders in many threads at once.
// Owns: the parsed template. Copies share it.
// Limits: integers of 128 bits; refused by name: {% block %}, {% autoescape %}, filters and format specifications for
// HTML pages. A slice of a literal without an order ({{ 5[1:] }}) fails, where the reference finds it undefined. Error
// texts may differ from the reference's in wording; raise_exception's never do.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"
#include "common/base/json.h"
#include "common/text/chat_template/run/failure.h"
#include "common/text/chat_template/run/limits.h"

namespace dflash {

/// A template that cannot be parsed or rendered. what() is "NAME, line N: reason".
class TemplateError : public Error {
 public:
  TemplateError(const std::string& name, int line, TemplateFailure failure, std::string reason);
  [[nodiscard]] TemplateFailure failure() const { return failure_; }
  /// The reason alone: of raise_exception, what the template said.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  TemplateFailure failure_;
  std::string reason_;
};

/// What all renderings of one conversation may use together: to find its turns it is rendered for each of them, which
/// for thousands would take minutes. One thread's.
struct TemplateAllowance {
  uint64_t steps = 250'000'000;             ///< as TemplateLimits counts them, and 25 for each message of a rendering
  uint64_t used = 0;                        ///< raised by each rendering
  const std::atomic<bool>* stop = nullptr;  ///< once true, no further rendering begins
};

struct ChatOptions {
  Json tools;  ///< a list of tool schemas, or null
  bool add_generation_prompt = false;
  std::string bos_token;  ///< empty: the template sees none
  std::string eos_token;
  Json extra = Json::object();     ///< further variables by name: enable_thinking, documents, ...
  std::function<std::tm()> clock;  ///< for strftime_now; empty: the local time
  TemplateLimits limits;
  TemplateAllowance* allowance = nullptr;  ///< none: each rendering has its own limits alone
};

/// Characters [begin, end) of a text.
struct CharacterSpan {
  size_t begin;
  size_t end;
  friend bool operator==(const CharacterSpan&, const CharacterSpan&) = default;
};

struct RenderedChat {
  std::string text;
  std::vector<CharacterSpan> generated;  ///< what {% generation %} blocks printed, in order
  bool generated_elsewhere = false;      ///< one ran inside a macro or set block: its place is not known
};

class ChatTemplate {
 public:
  /// Throws TemplateError, an Error{input_file}, for text that is no template. `name` stands in all messages.
  [[nodiscard]] static ChatTemplate parse(std::string_view source, const std::string& name);

  /// `messages` as a template sees them: see prepare_messages. Throws TemplateError.
  [[nodiscard]] RenderedChat render(const Json& messages, const ChatOptions& options) const;
  /// Any template with any variables: an object, by name.
  [[nodiscard]] std::string render_plain(const Json& variables, const ChatOptions& options) const;

  /// True when the template has a {% generation %} block.
  [[nodiscard]] bool marks_generation() const;
  /// The names that it reads and has not set itself, in order: messages, tools, enable_thinking, ... Functions of the
  /// environment are among them.
  [[nodiscard]] const std::set<std::string>& variables() const;
  [[nodiscard]] const std::string& name() const;

 private:
  struct Parsed;
  explicit ChatTemplate(std::shared_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}
  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace dflash
