// A run on a prepared folder trains as one on the same documents in a file, and refuses folders that do not fit.

#include <gtest/gtest.h>

#include "common/data/documents.h"
#include "common/data/prepared/prepared_writer.h"
#include "tests/data/document_makers.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using test::TinyRun;

/// The documents of the run's file, in several shards.
std::filesystem::path prepare(const TinyRun& tiny) {
  DataLedger ledger;
  const Documents documents = load_documents({tiny.path("documents.jsonl")}, 96, 128, ledger);
  PreparedWriter writer(tiny.path("prepared"), Json{{"of", "documents.jsonl"}}, 1000);
  for (int64_t document = 0; document < documents.count(); ++document) {
    writer.add(documents.input_ids(document), loss_mask_of(documents, document));
    if (writer.shard_is_full()) writer.close_shard({{"next", document + 1}});
  }
  writer.finish(Json{{"rows", ledger.rows}});
  return tiny.path("prepared");
}

std::string files(const std::filesystem::path& path) {
  return format("--set 'data.files=[\"{}\"]' ", path.string());
}

std::vector<double> losses(const std::filesystem::path& run) {
  std::vector<double> values;
  for (const Json& line : TinyRun::metrics(run)) values.push_back(line.at("loss").get<double>());
  return values;
}

TEST(PreparedRun, LearnsWhatARunOnTheFileLearns) {
  const TinyRun tiny;
  const auto folder = prepare(tiny);
  const test::ProgramResult of_file = tiny.train("--set run.dir=" + tiny.path("of-file").string());
  ASSERT_EQ(of_file.exit_code, 0) << of_file.output;
  const test::ProgramResult of_folder = tiny.train(files(folder) + "--set run.dir=" + tiny.path("of-folder").string());
  ASSERT_EQ(of_folder.exit_code, 0) << of_folder.output;
  EXPECT_NE(of_folder.output.find("160 rows"), std::string::npos) << of_folder.output;
  const auto expected = losses(tiny.path("of-file"));
  EXPECT_EQ(expected.size(), 12U);
  EXPECT_EQ(losses(tiny.path("of-folder")), expected);
}

TEST(PreparedRun, FoldersThatDoNotFitAreRefusedInWords) {
  const TinyRun tiny;
  const auto folder = prepare(tiny);
  const test::ProgramResult too_long = tiny.train(files(folder) + "--set data.pack_tokens=32");
  EXPECT_EQ(too_long.exit_code, 10) << too_long.output;
  EXPECT_NE(too_long.output.find("or raise data.pack_tokens"), std::string::npos) << too_long.output;
  std::filesystem::resize_file(folder / "shard-000000.tokens", 100);
  const test::ProgramResult damaged = tiny.train(files(folder));
  EXPECT_EQ(damaged.exit_code, 11) << damaged.output;
  EXPECT_NE(damaged.output.find("shard-000000.tokens"), std::string::npos) << damaged.output;
  std::filesystem::remove(folder / "prepared.json");
  const test::ProgramResult unfinished = tiny.train(files(folder));
  EXPECT_EQ(unfinished.exit_code, 11) << unfinished.output;
}

}  // namespace
}  // namespace dflash
