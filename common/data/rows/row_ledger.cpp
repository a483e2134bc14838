#include "common/data/rows/row_ledger.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"

namespace dflash {
namespace {

constexpr size_t kMostExamples = 3;

}  // namespace

void RowLedger::count(const RowVerdict& verdict, const std::string& file, int64_t line_number) {
  if (verdict.dropped) {
    drop(*verdict.dropped, verdict.detail, file, line_number);
    return;
  }
  ++kept_;
  for (const RowNote note : verdict.notes) ++notes_[static_cast<size_t>(note)];
}

void RowLedger::take_back(DropReason reason, const std::string& detail, const std::string& file, int64_t line_number) {
  --kept_;
  drop(reason, detail, file, line_number);
}

void RowLedger::drop(DropReason reason, const std::string& detail, const std::string& file, int64_t line_number) {
  Dropped& dropped = dropped_[static_cast<size_t>(reason)];
  ++dropped.count;
  if (dropped.examples.size() < kMostExamples) dropped.examples.push_back({file, line_number, detail});
}

void RowLedger::add(const RowLedger& later) {
  kept_ += later.kept_;
  for (size_t reason = 0; reason < dropped_.size(); ++reason) {
    dropped_[reason].count += later.dropped_[reason].count;
    for (const Example& example : later.dropped_[reason].examples) {
      if (dropped_[reason].examples.size() < kMostExamples) dropped_[reason].examples.push_back(example);
    }
  }
  for (size_t note = 0; note < notes_.size(); ++note) notes_[note] += later.notes_[note];
}

int64_t RowLedger::dropped() const {
  int64_t sum = 0;
  for (const Dropped& dropped : dropped_) sum += dropped.count;
  return sum;
}

Json RowLedger::json() const {
  Json json{{"rows", rows()}, {"kept", kept_}, {"dropped", Json::object()}, {"notes", Json::object()}};
  for (int reason = 0; reason < kDropReasonCount; ++reason) {
    const Dropped& dropped = dropped_[static_cast<size_t>(reason)];
    if (dropped.count == 0) continue;
    Json examples = Json::array();
    for (const Example& example : dropped.examples) {
      examples.push_back({{"file", example.file}, {"line", example.line_number}, {"detail", example.detail}});
    }
    json["dropped"][drop_reason_name(static_cast<DropReason>(reason))] = {{"count", dropped.count},
                                                                          {"examples", std::move(examples)}};
  }
  for (int note = 0; note < kRowNoteCount; ++note) {
    const int64_t count = notes_[static_cast<size_t>(note)];
    if (count > 0) json["notes"][row_note_name(static_cast<RowNote>(note))] = count;
  }
  return json;
}

RowLedger RowLedger::from_json(const Json& json) {
  RowLedger ledger;
  try {
    ledger.kept_ = json.at("kept");
    for (int reason = 0; reason < kDropReasonCount; ++reason) {
      const char* name = drop_reason_name(static_cast<DropReason>(reason));
      if (!json.at("dropped").contains(name)) continue;
      Dropped& dropped = ledger.dropped_[static_cast<size_t>(reason)];
      dropped.count = json["dropped"][name].at("count");
      for (const Json& example : json["dropped"][name].at("examples")) {
        dropped.examples.push_back({example.at("file"), example.at("line"), example.at("detail")});
      }
    }
    for (int note = 0; note < kRowNoteCount; ++note) {
      ledger.notes_[static_cast<size_t>(note)] =
          json.at("notes").value(row_note_name(static_cast<RowNote>(note)), int64_t{0});
    }
    if (ledger.rows() != json.at("rows")) throw Error(ErrorKind::checkpoint, "a ledger whose rows do not add up");
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::checkpoint, format("no ledger of rows: {}", error.what()));
  }
  return ledger;
}

std::string RowLedger::text() const {
  std::string text = format("{} rows read, {} kept, {} left out\n", rows(), kept_, dropped());
  for (int index = 0; index < kDropReasonCount; ++index) {
    const auto reason = static_cast<DropReason>(index);
    if (of(reason).count == 0) continue;
    const double percent = 100.0 * static_cast<double>(of(reason).count) / static_cast<double>(rows());
    text += format("  {:<22}{:>8}  {:>5.1f} %  {}\n", drop_reason_name(reason), of(reason).count, percent,
                   drop_reason_meaning(reason));
    for (const Example& example : of(reason).examples) {
      text += format("      {}:{}: {}\n", one_line(example.file), example.line_number, one_line(example.detail));
    }
  }
  for (int note = 0; note < kRowNoteCount; ++note) {
    const int64_t count = notes_[static_cast<size_t>(note)];
    if (count > 0) text += format("  noted: {} in {} rows\n", row_note_name(static_cast<RowNote>(note)), count);
  }
  return text;
}

}  // namespace dflash
