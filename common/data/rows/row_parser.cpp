#include "common/data/rows/row_parser.h"

#include <algorithm>
#include <limits>

#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/data/rows/blank_text.h"
#include "common/data/rows/chat_rows.h"
#include "common/data/rows/question_rules.h"

namespace dflash {
namespace {

constexpr size_t kMostShownBytes = 200;
constexpr int64_t kAnyVocabulary = std::numeric_limits<int32_t>::max();

bool holds_messages(RowShape shape) {
  return shape == RowShape::messages || shape == RowShape::conversations;
}

void check_shape(const JsonRow& row, RowShape shape, RowUse use) {
  const std::vector<RowShape> shapes = shapes_of(row, use);
  if (shapes.empty()) {
    Json keys = row.keys();
    throw BadRow(DropReason::no_conversation,
                 format("none of the fields of a {}; it has {}", use == RowUse::prompts ? "prompt" : "conversation",
                        json_line(keys, kMostShownBytes)));
  }
  const auto fits = [shape](RowShape own) { return own == shape || (holds_messages(own) && holds_messages(shape)); };
  if (std::ranges::none_of(shapes, fits)) {
    throw BadRow(DropReason::other_shape, format("it looks like {}, its file is read as {}",
                                                 row_shape_name(shapes.front()), row_shape_name(shape)));
  }
}

void read_text(const JsonRow& row, Conversation& conversation) {
  conversation.kind = ContentKind::text;
  const Json text = row.value("text");
  if (text.is_null()) throw BadRow(DropReason::empty_conversation, "text is null");
  if (!text.is_string()) {
    throw BadRow(DropReason::unsupported_content, format("text is no text: {}", json_line(text, kMostShownBytes)));
  }
  conversation.text = text.get<std::string>();
  if (is_blank(conversation.text)) throw BadRow(DropReason::blank_conversation, "text is blank");
}

void read_tokens(const JsonRow& row, RowUse use, Conversation& conversation) {
  conversation.kind = ContentKind::tokens;
  if (use == RowUse::prompts && row.has("prompt_ids")) {
    row.read_ids("prompt_ids", kAnyVocabulary, conversation.input_ids);
    if (conversation.input_ids.empty()) throw BadRow(DropReason::empty_conversation, "prompt_ids is empty");
    return;
  }
  row.read_tokens(kAnyVocabulary, conversation.input_ids, conversation.loss_mask);
  if (conversation.input_ids.empty()) throw BadRow(DropReason::empty_conversation, "input_ids is empty");
  if (use == RowUse::prompts) keep_question_tokens(conversation);
}

void read_id(const JsonRow& row, Conversation& conversation) {
  const Json id = row.value("id");
  if (!id.is_null()) conversation.id = id.is_string() ? id.get<std::string>() : json_line(id, kMostShownBytes);
}

Conversation read_row(const JsonRow& row, RowShape shape, RowUse use) {
  check_shape(row, shape, use);
  Conversation conversation;
  read_id(row, conversation);
  if (shape == RowShape::text) {
    read_text(row, conversation);
  } else if (shape == RowShape::token_ids) {
    read_tokens(row, use, conversation);
  } else {
    read_chat(row, shape, use, conversation);
  }
  return conversation;
}

RowVerdict drop(DropReason reason, std::string detail) {
  RowVerdict verdict;
  verdict.dropped = reason;
  verdict.detail = std::move(detail);
  return verdict;
}

}  // namespace

RowVerdict RowParser::read(const Line& line, RowShape shape) {
  if (line.too_long) return drop(DropReason::line_too_long, "stepped over");
  try {
    row_.parse(line.text);
    RowVerdict verdict;
    verdict.conversation = read_row(row_, shape, use_);
    if (verdict.conversation.kind == ContentKind::chat) verdict.notes = chat_notes(verdict.conversation);
    return verdict;
  } catch (const BadRow& bad) {
    const bool cut = bad.reason() == DropReason::bad_json && !line.ended;
    return drop(bad.reason(), cut ? format("{}; the file ends inside this row", bad.what()) : bad.what());
  }
}

const char* row_note_name(RowNote note) {
  switch (note) {
    case RowNote::orphan_close_think:
      return "orphan_close_think";
    case RowNote::untrained_answers:
      return "untrained_answers";
    case RowNote::cut_answers:
      break;
  }
  return "cut_answers";
}

}  // namespace dflash
