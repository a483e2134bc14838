#include "common/data/rows/ledger_file.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

TEST(LedgerFile, ReplacesNoFileOfTheWork) {
  const TempFolder folder;
  const std::string rows = (folder.path() / "rows.jsonl").string(), out = (folder.path() / "out.jsonl").string();
  write_text(rows, "{}\n");
  std::filesystem::create_symlink(rows, folder.path() / "link");
  const auto refused = [&](const std::string& path, const std::string& why) {
    expect_error(ErrorKind::config, why, [&] { check_ledger_file(path, {rows, out}); });
  };
  refused(rows, "would replace");
  refused(out, "would replace");  // not there yet
  refused((folder.path() / "." / "out.jsonl").string(), "would replace");
  refused((folder.path() / "link").string(), "would replace");
  refused((folder.path() / "absent/ledger.json").string(), "there is no folder");
  EXPECT_NO_THROW(check_ledger_file((folder.path() / "ledger.json").string(), {rows, out, "-"}));
  EXPECT_NO_THROW(check_ledger_file("", {rows}));
}

TEST(LedgerFile, IsWritten) {
  const TempFolder folder;
  write_ledger_file("", {{"rows", 1}});
  write_ledger_file((folder.path() / "ledger.json").string(), {{"rows", 1}});
  EXPECT_EQ(read_text(folder.path() / "ledger.json"), "{\n  \"rows\": 1\n}\n");
}

}  // namespace
}  // namespace dflash
