#include "common/data/rows/answer_marks.h"

#include "common/base/format.h"
#include "common/base/one_line.h"

namespace dflash {
namespace {

constexpr size_t kMostShownBytes = 60;

/// The places of the answers among the messages.
std::vector<size_t> answers_of(const Json& messages) {
  std::vector<size_t> answers;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i]["role"] == "assistant") answers.push_back(i);
  }
  return answers;
}

void mark_by_column(const Json& words, const std::vector<size_t>& answers, std::vector<bool>& cut) {
  if (words.size() != answers.size()) {
    throw BadRow(DropReason::bad_message,
                 format("finish_reason has {} words for {} answers", words.size(), answers.size()));
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    if (words[i] == "length") cut[answers[i]] = true;
  }
}

}  // namespace

bool is_trained(const Json& message, const std::string& where) {
  for (const char* key : {"weight", "loss_weight", "train"}) {
    if (!message.contains(key) || message[key].is_null()) continue;
    const Json& weight = message[key];
    if (weight == false || (weight.is_number() && weight == 0)) return false;
    if (weight != true && !(weight.is_number() && weight == 1)) {
      throw BadRow(DropReason::bad_message,
                   format("{}.{} is neither 0 nor 1: {}", where, key, json_line(weight, kMostShownBytes)));
    }
  }
  return true;
}

void mark_cut_answers(const JsonRow& row, Conversation& conversation) {
  const Json& messages = conversation.messages;
  const std::vector<size_t> answers = answers_of(messages);
  conversation.cut.assign(messages.size(), false);
  for (const size_t answer : answers) {
    conversation.cut[answer] =
        messages[answer].contains("finish_reason") && messages[answer]["finish_reason"] == "length";
  }
  const Json column = row.value("finish_reason");
  if (column.is_array()) mark_by_column(column, answers, conversation.cut);
  if (column == "length") conversation.cut[answers.back()] = true;
}

}  // namespace dflash
