// The pipeline: order, errors, stopping, files that are broken.
#include "common/data/prepare/prepare_pipeline.h"

#include <gtest/gtest.h>

#include <chrono>

#include "common/base/error.h"
#include "tests/data/prepare/prepare_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

/// Keeps the places of rows; does what a test wants at a row.
class ListSink final : public RowSink {
 public:
  void opened(const std::string& description) override { opened_.push_back(description); }
  void row(const PreparedRow& row, const InputPosition& at) override {
    places_.emplace_back(at.file, at.line);
    tokens_ += row.input_ids.size();
    if (on_row_) on_row_();
  }
  [[nodiscard]] bool go_on() override { return !stop_; }
  void reached(int64_t done_bytes) override { done_bytes_ = done_bytes; }

  std::vector<std::string> opened_;
  std::vector<std::pair<size_t, int64_t>> places_;
  size_t tokens_ = 0;
  int64_t done_bytes_ = 0;
  bool stop_ = false;
  std::function<void()> on_row_;
};

class PreparePipeline : public testing::Test {
 protected:
  bool run(const std::vector<std::string>& files, ListSink& sink, int threads, InputPosition start = {}) {
    settings_.threads = threads;
    const PrepareTexts texts = read_texts(settings_);
    return run_prepare_pipeline(files, settings_, texts, start, sink);
  }
  std::string write(const std::string& name, const std::string& text) {
    write_text(folder_.path() / name, text);
    return (folder_.path() / name).string();
  }
  /// So many rows, more than one chunk's. Put together from the parts of one: 20,000 JSON values take their time.
  static std::string rows(int count) {
    const std::string row = made_row("Ask #", "Reply #");
    const size_t ask = row.find('#'), reply = row.rfind('#');
    std::string text;
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      text += row.substr(0, ask) + number + row.substr(ask + 1, reply - ask - 1) + number + row.substr(reply + 1);
    }
    return text;
  }

  PrepareSettings settings_ = made_settings();
  TempFolder folder_;
};

TEST_F(PreparePipeline, RowsComeInTheOrderOfFilesAndLinesForAnyNumberOfThreads) {
  const std::vector<std::string> files{write("a.jsonl", rows(1300)), write("empty.jsonl", ""),
                                       write("b.jsonl", "\n" + rows(3))};
  for (const int threads : {1, 2, 7}) {
    ListSink sink;
    EXPECT_TRUE(run(files, sink, threads));
    ASSERT_EQ(sink.places_.size(), 1303U);
    EXPECT_TRUE(std::ranges::is_sorted(sink.places_));
    EXPECT_EQ(sink.places_[1299], (std::pair<size_t, int64_t>(0, 1300)));
    EXPECT_EQ(sink.places_[1300], (std::pair<size_t, int64_t>(2, 2))) << "blank lines are no rows";
    ASSERT_EQ(sink.opened_.size(), 3U);
    EXPECT_NE(sink.opened_[0].find("read as messages"), std::string::npos);
    EXPECT_EQ(sink.done_bytes_, total_file_bytes(files));
  }
}

TEST_F(PreparePipeline, GoesOnBehindAPlace) {
  const std::vector<std::string> files{write("a.jsonl", rows(1300)), write("b.jsonl", rows(3))};
  ListSink sink;
  EXPECT_TRUE(run(files, sink, 2, {.file = 0, .line = 1298}));
  EXPECT_EQ(sink.places_, (std::vector<std::pair<size_t, int64_t>>{{0, 1299}, {0, 1300}, {1, 1}, {1, 2}, {1, 3}}));
  ListSink last;
  EXPECT_TRUE(run(files, last, 2, {.file = 1, .line = 3}));
  EXPECT_TRUE(last.places_.empty());
}

TEST_F(PreparePipeline, ABrokenFileEndsItByNameBehindTheRowsBefore) {
  const std::string gzip("\x1f\x8b\x08\x00rubbish", 11);
  const std::vector<std::string> files{write("a.jsonl", rows(700)), write("b.jsonl.gz", gzip),
                                       write("c.jsonl", rows(1))};
  for (const int threads : {1, 3}) {
    ListSink sink;
    expect_error(ErrorKind::input_file, files[1], [&] { (void)run(files, sink, threads); });
    EXPECT_EQ(sink.places_.size(), 700U);
  }
}

TEST_F(PreparePipeline, BrokenRowsEndNothing) {
  const std::string text = rows(2) + "{\n[]\n" + std::string("\xff\xfe\n", 3) + rows(1);
  ListSink sink;
  EXPECT_TRUE(run({write("a.jsonl", text)}, sink, 2));
  EXPECT_EQ(sink.places_.size(), 6U);
}

TEST_F(PreparePipeline, AnErrorOfTheSinkEndsAllThreads) {
  const std::vector<std::string> files{write("a.jsonl", rows(20'000))};
  ListSink sink;
  sink.on_row_ = [&] {
    if (sink.places_.size() == 600) throw Error(ErrorKind::no_space, "the disk is full");
  };
  expect_error(ErrorKind::no_space, "the disk is full", [&] { (void)run(files, sink, 2); });
  EXPECT_EQ(sink.places_.size(), 600U);
}

TEST_F(PreparePipeline, TheSinkMayEndIt) {
  const std::vector<std::string> files{write("a.jsonl", rows(20'000))};
  ListSink sink;
  sink.on_row_ = [&] { sink.stop_ = sink.places_.size() > 512; };
  EXPECT_FALSE(run(files, sink, 2));
  EXPECT_LE(sink.places_.size(), 1024U) << "one chunk more at most";
}

TEST_F(PreparePipeline, IsEndedInsideALongRow) {
  Json row{{"messages", Json::array()}};
  for (int i = 0; i < 1000; ++i) {
    row["messages"].push_back({{"role", "user"}, {"content", "One?"}});
    row["messages"].push_back({{"role", "assistant"}, {"content", "A short answer"}});
  }
  std::string text;
  for (int i = 0; i < 8; ++i) text += row.dump() + "\n";  // seconds each
  settings_.reasoning = false;
  ListSink sink;
  sink.stop_ = true;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(run({write("a.jsonl", text)}, sink, 1));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

TEST_F(PreparePipeline, AFileOfTokensIsRefusedWhereThoughtsAreToBeTakenOut) {
  settings_.reasoning = false;
  ListSink sink;
  const std::string file = write("t.jsonl", R"({"input_ids":[1,2],"loss_mask":[1,1]})");
  expect_error(ErrorKind::config, "nobody knows their thoughts", [&] { (void)run({file}, sink, 1); });
}

TEST(WorkerCount, IsAskedForOrFound) {
  PrepareSettings settings;
  EXPECT_GE(worker_count(settings), 1);
  settings.threads = 5;
  EXPECT_EQ(worker_count(settings), 5);
}

}  // namespace
}  // namespace dflash
