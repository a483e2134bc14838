// The one call: what it writes, that it does nothing twice, and what it refuses.
#include "common/data/prepare/prepare_data.h"

#include <gtest/gtest.h>

#include "common/data/prepared/prepared_folder.h"
#include "common/data/prepared/prepared_writer.h"
#include "tests/data/prepare/prepare_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

class PrepareData : public testing::Test {
 protected:
  PrepareOutcome prepare(const std::string& name, FolderUse use = FolderUse::keep) {
    return prepare_data(files_, settings_, folder_.path() / name, events_, use);
  }

  TempFolder folder_;
  PrepareSettings settings_ = made_settings();
  std::vector<std::string> files_ = made_files(folder_.path());
  PrepareEvents events_;
};

TEST_F(PrepareData, TheFolderHoldsTheRowsAndTheLedger) {
  const PrepareOutcome outcome = prepare("p");
  EXPECT_EQ(outcome.end, PrepareEnd::written);
  EXPECT_EQ(outcome.ledger.kept(), 60);
  EXPECT_EQ(outcome.ledger.rows().dropped(DropReason::bad_json), 12);
  EXPECT_EQ(outcome.stored_rows, 60);
  const PreparedFolder data = PreparedFolder::open(folder_.path() / "p");
  data.verify();
  EXPECT_GT(data.shards().size(), 4U);
  EXPECT_EQ(data.ledger(), outcome.ledger.json());
  EXPECT_EQ(data.key(), prepare_key(files_, settings_));
  const auto rows = lines_of_file("quickstart_tokens.jsonl");
  ASSERT_EQ(data.count(), 60);
  for (int64_t d = 0; d < data.count(); ++d) {
    const Json expected = Json::parse(rows[static_cast<size_t>(d)]);
    const auto ids = data.input_ids(d);
    EXPECT_EQ(Json(std::vector<int32_t>(ids.begin(), ids.end())), expected["input_ids"]);
    std::vector<uint8_t> mask(ids.size());
    data.copy_loss_mask(d, mask);
    EXPECT_EQ(Json(mask), expected["loss_mask"]);
  }
}

TEST_F(PrepareData, TheNumberOfThreadsChangesNoByte) {
  settings_.threads = 1;
  (void)prepare("one");
  const auto one = contents_of(folder_.path() / "one");
  for (const int threads : {2, 4}) {
    settings_.threads = threads;
    const std::string name = std::to_string(threads);
    (void)prepare(name);
    EXPECT_EQ(contents_of(folder_.path() / name), one);
  }
}

TEST_F(PrepareData, TheSameKeyGivesTheSameShardsWhateverTheFilesAreCalled) {
  (void)prepare("p");
  const Json key = prepare_key(files_, settings_);
  for (std::string& file : files_) {
    std::filesystem::rename(file, file + ".moved");
    file += ".moved";
  }
  EXPECT_EQ(prepare_key(files_, settings_), key);
  (void)prepare("q");
  auto p = contents_of(folder_.path() / "p"), q = contents_of(folder_.path() / "q");
  EXPECT_NE(p.at("prepared.json"), q.at("prepared.json")) << "its examples name the files";
  for (auto& example : files_) {
    const std::string name = example.substr(0, example.size() - std::string(".moved").size());
    for (size_t at = 0; (at = q.at("prepared.json").find(example)) != std::string::npos;) {
      q.at("prepared.json").replace(at, example.size(), name);
    }
  }
  EXPECT_EQ(p, q) << "nothing else differs";
  EXPECT_EQ(prepare("p").end, PrepareEnd::existed);
}

TEST_F(PrepareData, AFinishedFolderIsLeftAsItIs) {
  const PrepareOutcome first = prepare("p");
  const auto before = contents_of(folder_.path() / "p");
  settings_.threads = 1;
  const PrepareOutcome again = prepare("p");
  EXPECT_EQ(again.end, PrepareEnd::existed);
  EXPECT_EQ(again.ledger.json(), first.ledger.json());
  EXPECT_EQ(again.stored_rows, 60);
  EXPECT_EQ(contents_of(folder_.path() / "p"), before);
}

TEST_F(PrepareData, AnotherKeyIsRefusedUnlessItMayBeOverwritten) {
  (void)prepare("p");
  settings_.max_tokens = 64;
  expect_error(ErrorKind::config, "settings.max_tokens", [&] { (void)prepare("p"); });
  EXPECT_EQ(PreparedFolder::open(folder_.path() / "p").totals().longest_document > 64, true);
  EXPECT_EQ(prepare("p", FolderUse::overwrite).end, PrepareEnd::written);
  EXPECT_EQ(PreparedFolder::open(folder_.path() / "p").totals().longest_document, 64);
  (void)prepare("q");
  EXPECT_EQ(contents_of(folder_.path() / "p"), contents_of(folder_.path() / "q")) << "nothing is left of the first";
}

TEST_F(PrepareData, UnfinishedWorkOfAnotherKeyIsRefusedToo) {
  events_.should_stop = [] { return true; };
  EXPECT_EQ(prepare("p").end, PrepareEnd::stopped);
  events_ = {};
  settings_.reasoning = false;
  expect_error(ErrorKind::config, "settings.reasoning", [&] { (void)prepare("p"); });
  EXPECT_EQ(prepare("p", FolderUse::overwrite).end, PrepareEnd::written);
}

TEST_F(PrepareData, AFolderInWorkIsNotTouchedEvenToOverwriteIt) {
  const auto folder = folder_.path() / "p";
  PreparedWriter working(folder, prepare_key(files_, settings_), 4);
  working.add(std::vector<int32_t>{1, 2, 3, 4}, std::vector<uint8_t>{1, 1, 1, 1});
  working.close_shard({{"next", 1}});
  const auto before = contents_of(folder);
  settings_.max_tokens = 64;
  for (const FolderUse use : {FolderUse::keep, FolderUse::overwrite}) {
    expect_error(ErrorKind::config, "another process is preparing", [&] { (void)prepare("p", use); });
  }
  EXPECT_EQ(contents_of(folder), before);
  EXPECT_NO_THROW(working.finish(PrepareLedger().json()));
}

TEST_F(PrepareData, WithoutAnyRowItFailsAndTheLedgerIsTold) {
  std::string told;
  events_.notice = [&](const std::string& line) { told += line + "\n"; };
  settings_.min_supervised_tokens = 4096;
  expect_error(ErrorKind::input_file, "none of 72 rows", [&] { (void)prepare("p"); });
  EXPECT_NE(told.find("too_few_supervised"), std::string::npos) << told;
}

TEST_F(PrepareData, ABrokenFileEndsByNameAndTheLedgerUpToItIsTold) {
  std::string told;
  events_.notice = [&](const std::string& line) { told += line + "\n"; };
  files_.push_back((folder_.path() / "last.jsonl.gz").string());
  write_text(files_.back(), std::string("\x1f\x8b\x08\x00rubbish", 11));
  expect_error(ErrorKind::input_file, "last.jsonl.gz", [&] { (void)prepare("p"); });
  EXPECT_NE(told.find("up to the error:\n72 rows read, 60 kept"), std::string::npos) << told;
}

TEST_F(PrepareData, ProgressEndsWithAllBytes) {
  PrepareProgress last;
  events_.progress = [&](const PrepareProgress& progress) { last = progress; };
  const PrepareOutcome outcome = prepare("p");
  EXPECT_TRUE(last.last);
  EXPECT_EQ(last.done_bytes, last.input_bytes);
  EXPECT_GT(last.input_bytes, 0);
  EXPECT_EQ(last.rows, 72);
  EXPECT_EQ(last.tokens, outcome.ledger.tokens());
  EXPECT_GT(outcome.tokens_per_second, 0);
}

TEST_F(PrepareData, SettingsThatCannotWorkAreRefused) {
  const auto refused = [&](const std::string& words, auto change) {
    PrepareSettings settings = settings_;
    change(settings);
    expect_error(ErrorKind::config, words, [&] { check_settings(settings); });
  };
  refused("max_tokens is 1", [](PrepareSettings& s) { s.max_tokens = 1; });
  refused("min_supervised_tokens is -1", [](PrepareSettings& s) { s.min_supervised_tokens = -1; });
  refused("threads is -1", [](PrepareSettings& s) { s.threads = -1; });
  refused("mask_token_id is 2048", [](PrepareSettings& s) { s.mask_token_id = 2048; });
  refused("is no time", [](PrepareSettings& s) { s.now = "yesterday"; });
  expect_error(ErrorKind::config, "'some'", [] { (void)parse_supervise("some"); });
  expect_error(ErrorKind::config, "'keep'", [] { (void)parse_too_long("keep"); });
}

}  // namespace
}  // namespace dflash
