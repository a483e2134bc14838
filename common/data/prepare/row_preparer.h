// RowPreparer: one line of a file of rows -> token ids and loss mask, or why the row is left out.
//
//   const PrepareTexts texts = read_texts(settings);      // shared
//   RowPreparer preparer(settings, texts);                // one for each thread
//   const PreparedRow row = preparer.prepare(line, file.shape());
//
// A chat is rendered, encoded without the special tokens a tokenizer adds, and masked (text/loss_mask); a text is
// encoded and supervised as a whole; token ids are taken as they are. Then the length rule, then the least number of
// supervised tokens.
//
// Threading: one thread each. Refers to settings and texts.
// Limits: nothing of the user's rows throws.
#pragma once

#include <array>
#include <optional>

#include "common/data/prepare/prepare_settings.h"
#include "common/data/prepare/prepared_row.h"
#include "common/data/rows/row_parser.h"
#include "common/text/chat_template/model_templates.h"
#include "common/text/loss_mask/generation_marks.h"
#include "common/text/tokenizer/tokenizer.h"

namespace dflash {

/// What all rows are made with. Immutable.
struct PrepareTexts {
  Tokenizer tokenizer;
  ModelTemplates templates;
};

/// Error{input_file} when one of them cannot be read, and as read_templates.
[[nodiscard]] PrepareTexts read_texts(const PrepareSettings& settings);
/// The template with the special tokens that it sees: of settings.model, or of where it was found itself when that is
/// empty. Error{input_file} when it cannot be read, Error{config} for variables that check_template_variables refuses.
[[nodiscard]] ModelTemplates read_templates(const PrepareSettings& settings);

/// Error{config} when rows of this shape cannot be what the settings ask for: nobody knows the turns and thoughts of a
/// text or of token ids.
void check_shape_fits(const PrepareSettings& settings, RowShape shape, const std::string& file);

class RowPreparer {
 public:
  /// `allowance`: of each row. One that uses it up is left out as template_error.
  RowPreparer(const PrepareSettings& settings, const PrepareTexts& texts, TemplateAllowance allowance = {});
  RowPreparer(const RowPreparer&) = delete;  // its options refer to its allowance
  RowPreparer& operator=(const RowPreparer&) = delete;
  ~RowPreparer() = default;

  [[nodiscard]] PreparedRow prepare(const Line& line, RowShape shape);

 private:
  /// These fill ids and mask; they throw BadRow, and Error{input_file} of the tokenizer.
  void fill(Conversation& conversation, PreparedRow& row);
  void fill_chat(Conversation& conversation, PreparedRow& row);
  void fill_text(const Conversation& conversation, PreparedRow& row);
  void fill_tokens(Conversation& conversation, PreparedRow& row) const;

  [[nodiscard]] const ChatTemplate& template_for(bool has_tools) const;
  [[nodiscard]] MaskedChat mask(const Conversation& conversation, const ChatTemplate& chat, const ChatOptions& options);
  [[nodiscard]] const GenerationMarks& marks_of(bool has_tools, const ChatOptions& options);

  const PrepareSettings& settings_;
  const PrepareTexts& texts_;
  TemplateAllowance allowance_;
  ChatOptions options_;
  RowParser parser_;
  TokenizerScratch scratch_;
  Encoding encoding_;
  std::array<std::optional<GenerationMarks>, 2> marks_;  // of the template without tools, with tools
};

}  // namespace dflash
