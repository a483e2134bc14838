// Rows made to break a reader: none throws, each ends with a verdict, in time that grows with its length.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "common/data/rows/row_ledger.h"
#include "tests/data/rows/row_files.h"

namespace dflash {
namespace {

std::string nested(const std::string& open, int depth, const std::string& close) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

std::string tools_row(const std::string& tools) {
  return R"({"messages":[{"role":"assistant","content":"a"}],"tools":)" + tools + "}";
}

TEST(HostileRows, DeepNestingIsRefusedWhereverItStands) {
  const auto reason = [](const std::string& row) { return verdict_of(row, RowShape::messages).dropped; };
  EXPECT_EQ(reason(nested("[", 5'000'000, "]")), DropReason::bad_json);
  EXPECT_EQ(reason(tools_row(nested("[", 900, "]"))), DropReason::bad_json);
  EXPECT_EQ(reason(tools_row("\"" + nested("[", 900, "]") + "\"")), DropReason::bad_tools);
  EXPECT_EQ(reason(tools_row("[{\"a\":" + nested("[", 62, "]") + "}]")), std::nullopt);
  EXPECT_EQ(reason(tools_row("[{\"a\":" + nested("[", 63, "]") + "}]")), DropReason::bad_json);
  EXPECT_EQ(reason(R"({"text":)" + nested("[", 900, "]") + R"(,"messages":[{"role":"assistant","content":"a"}]})"),
            std::nullopt)
      << "a field that nobody reads may nest";
}

TEST(HostileRows, ManyKeysCostNoMoreThanTheirLength) {
  std::string object = "{";
  for (int i = 0; i < 300'000; ++i) object += "\"k" + std::to_string(i) + "\":0,";
  object += "\"z\":0}";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(verdict_of(tools_row("[" + object + "]"), RowShape::messages).dropped);
  EXPECT_TRUE(verdict_of(object, RowShape::messages).dropped);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(HostileRows, NumbersThatFitNowhereSpoilOnlyTheirRow) {
  for (const char* number :
       {"1e999", "123456789012345678901234567890", "-9223372036854775809", "NaN", "Infinity", "01"}) {
    EXPECT_EQ(verdict_of(tools_row("[{\"a\":" + std::string(number) + "}]"), RowShape::messages).dropped,
              DropReason::bad_json)
        << number;
  }
  EXPECT_FALSE(
      verdict_of(tools_row("[{\"a\":18446744073709551615,\"b\":-0.0,\"c\":1e-400}]"), RowShape::messages).dropped);
}

TEST(HostileRows, BytesThatAreNoTextAreRefused) {
  const auto reason = [](const std::string& answer) {
    return verdict_of(R"({"messages":[{"role":"assistant","content":")" + answer + "\"}]}", RowShape::messages).dropped;
  };
  EXPECT_EQ(reason("\xff"), DropReason::bad_json);
  EXPECT_EQ(reason("\xed\xa0\x80"), DropReason::bad_json) << "a surrogate as three bytes";
  EXPECT_EQ(reason("\xc0\xaf"), DropReason::bad_json) << "too long a form";
  EXPECT_EQ(reason(std::string("a\0b", 3)), DropReason::bad_json);
  EXPECT_EQ(reason("\\ud83d x"), DropReason::bad_json);
  EXPECT_EQ(reason("\\ude00 x"), DropReason::bad_json);
  EXPECT_EQ(reason("\\ud83d\\ud83d"), DropReason::bad_json);
  EXPECT_EQ(reason("\\ud83d\\ude00 \xed\x9f\xbf"), std::nullopt);
}

TEST(HostileRows, ALongLineAndACutOneAreRefusedInTheirWords) {
  const TempFolder folder;
  const auto path = folder.path() / "a.jsonl";
  write_text(path, "{\"text\":\"a\"}\n{\"text\":\"" + std::string(3000, 'x') + "\"}\n{\"text\":\"b\"}\n{\"text\":\"cu");
  RowFile file(path.string(), std::nullopt, 1000);
  RowParser parser;
  RowLedger ledger;
  for (Line line; file.next(line);) ledger.count(parser.read(line, file.shape()), "a.jsonl", line.number);
  EXPECT_EQ(ledger.kept(), 2);
  EXPECT_EQ(ledger.dropped(DropReason::line_too_long), 1);
  EXPECT_NE(ledger.text().find("a.jsonl:4: not JSON: "), std::string::npos) << ledger.text();
  EXPECT_NE(ledger.text().find("; the file ends inside this row"), std::string::npos) << ledger.text();
}

const std::vector<std::pair<RowShape, std::string>> kSeeds{
    {RowShape::messages, tools_row(R"([{"type":"function","function":{"name":"f","parameters":{"a":[1,2.5,null]}}}])")},
    {RowShape::messages,
     R"({"messages":[{"role":"user","content":[{"type":"text","text":"a\u00e9\ud83d\ude00"}]},{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{\"x\": 1}"}}],"weight":1}]})"},
    {RowShape::conversations,
     R"({"conversations":[{"from":"human","value":"a"},{"from":"function_call","value":"{\"name\": \"f\", \"arguments\": {}}"},{"from":"observation","value":"[]"}],"tools":"[{\"name\": \"f\"}]"})"},
    {RowShape::instruction, R"({"instruction":"a","input":"b","output":"c","history":[["d","e"]],"system":"f"})"},
    {RowShape::prompt_completion,
     R"({"prompt":[{"role":"user","content":"a"}],"completion":[{"role":"assistant","content":"b"}],"finish_reason":["length"]})"},
    {RowShape::token_ids, R"({"input_ids":[1,2,3],"loss_mask":[0,1,1]})"},
    {RowShape::text, R"({"text":"plain","id":17})"}};

const std::vector<std::string> kPieces{
    "null", "{}", "[]", "\"\"", "-1", "1e5",     "true", "\"role\"", "\"content\"", ",", ":",       "{",
    "}",    "[",  "]",  "\"",   "\\", "\\ud83d", "\xff", "\xed",     "\n",          "0", "{\"a\":", "\"tool_calls\":"};

std::string mutated(std::string row, std::mt19937& random) {
  for (size_t edits = 1 + random() % 4; edits > 0; --edits) {
    const size_t at = random() % (row.size() + 1), count = random() % 12;
    switch (random() % 4) {
      case 0:
        row.insert(at, kPieces[random() % kPieces.size()]);
        break;
      case 1:
        row.erase(at, count);
        break;
      case 2:
        row.insert(at, row.substr(random() % (row.size() + 1), count * 3));
        break;
      default:
        if (at < row.size()) row[at] = static_cast<char>(random() % 256);
    }
  }
  return row;
}

void expect_sound(const Conversation& conversation) {
  if (conversation.kind != ContentKind::chat) return;
  ASSERT_FALSE(conversation.messages.empty());
  ASSERT_EQ(conversation.trained.size(), conversation.messages.size());
  ASSERT_EQ(conversation.cut.size(), conversation.messages.size());
  for (const Json& message : conversation.messages) {
    ASSERT_TRUE(message["role"].is_string() && message["content"].is_string()) << message;
  }
  (void)conversation.messages.dump();  // throws for what is no UTF-8
  (void)conversation.tools.dump();
}

TEST(HostileRows, MutationsEndWithAVerdictAndWhatIsKeptIsSound) {
  std::mt19937 random(20261130);
  RowParser parser;
  int kept = 0, dropped = 0;
  for (int round = 0; round < 60'000; ++round) {
    const auto& [shape, seed] = kSeeds[random() % kSeeds.size()];
    const std::string row = mutated(seed, random);
    Line line;
    line.text = row;
    const RowVerdict verdict = parser.read(line, shape);
    (verdict.dropped ? dropped : kept) += 1;
    if (!verdict.dropped) expect_sound(verdict.conversation);
    if (testing::Test::HasFatalFailure()) FAIL() << row;
  }
  EXPECT_GT(kept, 1000);
  EXPECT_GT(dropped, 1000);
}

TEST(HostileRows, ParsersOfSeveralThreadsDoNotMeet) {
  std::vector<RowLedger> ledgers(4);
  std::vector<std::thread> threads;
  threads.reserve(ledgers.size());
  for (RowLedger& ledger : ledgers) {
    threads.emplace_back([&ledger] {
      std::mt19937 random(11);
      RowParser parser;
      for (int64_t number = 1; number <= 2000; ++number) {
        const auto& [shape, seed] = kSeeds[random() % kSeeds.size()];
        const std::string row = mutated(seed, random);
        Line line;
        line.text = row;
        ledger.count(parser.read(line, shape), "a", number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const RowLedger& ledger : ledgers) EXPECT_EQ(ledger.json(), ledgers[0].json());
  EXPECT_EQ(ledgers[0].rows(), 2000);
}

}  // namespace
}  // namespace dflash
