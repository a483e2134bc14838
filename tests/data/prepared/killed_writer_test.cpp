// A writer that is killed between any two of its calls to the system: what is left can be gone on with, and the folder
// ends with the same bytes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/data/prepared/folder_repair.h"
#include "common/data/prepared/prepared_folder.h"
#include "common/data/prepared/prepared_index.h"
#include "tests/data/prepared/folder_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

constexpr int64_t kDocuments = 12;

/// Kills a child that does this at its stop number `stops` (each call to the system stops it twice); false when it
/// ended before.
template <typename Act>
bool kill_after(int stops, Act act) {
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    act();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (int stop = 0; stop < stops && WIFSTOPPED(status); ++stop) {
    if (ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) ADD_FAILURE() << "ptrace";
    waitpid(child, &status, 0);
  }
  if (WIFEXITED(status)) {
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return false;
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return true;
}

TEST(KilledWriter, AtWhateverPointTheNextOneEndsWithTheSameBytes) {
  const TempFolder temp;
  make_folder(temp.path() / "whole", kDocuments);
  const auto expected = files_in(temp.path() / "whole");
  int stops = 0, unfinished = 0;
  for (; kill_after(stops, [&] { make_folder(temp.path() / "p", kDocuments); }); ++stops) {
    if (is_prepared_folder(temp.path() / "p")) {
      // Killed behind the end: whole, though what it needed on the way may still lie there.
      const PreparedFolder folder = PreparedFolder::open(temp.path() / "p");
      EXPECT_EQ(folder.count(), kDocuments);
      folder.verify();
    } else {
      make_folder(temp.path() / "p", kDocuments);
      EXPECT_EQ(files_in(temp.path() / "p"), expected) << "killed at stop " << stops;
      ++unfinished;
    }
    std::filesystem::remove_all(temp.path() / "p");
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(unfinished, 100);  // points where it was really interrupted
}

/// Data of another key, finished or not, are cleared: nothing of theirs is ever taken for the new key's.
void expect_cleared_after_a_kill(const std::filesystem::path& theirs) {
  const TempFolder temp;
  const auto folder = temp.path() / "p";
  make_folder(temp.path() / "whole", kDocuments);
  int stops = 0, of_the_new_key = 0;
  const auto copy = [&] { std::filesystem::copy(theirs, folder, std::filesystem::copy_options::recursive); };
  copy();
  for (; kill_after(stops, [&] { clear_prepared_folder(folder, kMadeKey); }); ++stops) {
    ASSERT_TRUE(is_prepared_folder(folder) || std::filesystem::exists(folder / kPreparingName)) << stops;
    if (!is_prepared_folder(folder) && read_preparing_key(folder) == kMadeKey) {
      ASSERT_TRUE(read_whole_shards(folder).facts.empty()) << stops;
      ++of_the_new_key;
    } else {
      clear_prepared_folder(folder, kMadeKey);
    }
    make_folder(folder, kDocuments);
    ASSERT_EQ(files_in(folder), files_in(temp.path() / "whole")) << "killed at stop " << stops;
    std::filesystem::remove_all(folder);
    copy();
  }
  EXPECT_GT(of_the_new_key, 3);
}

TEST(KilledClearing, OfUnfinishedWork) {
  const TempFolder temp;
  {
    PreparedWriter writer(temp.path() / "p", Json{{"of", "another"}});
    for (int64_t d = 30; d < 33; ++d) {
      const MadeDocument document = made_document(d);
      writer.add(document.ids, document.mask);
      writer.close_shard({{"next", d + 1}});
    }
  }
  expect_cleared_after_a_kill(temp.path() / "p");
}

TEST(KilledClearing, OfFinishedData) {
  const TempFolder temp;
  {
    PreparedWriter writer(temp.path() / "p", Json{{"of", "another"}});
    writer.add(made_document(30).ids, made_document(30).mask);
    writer.finish(kMadeLedger);
  }
  expect_cleared_after_a_kill(temp.path() / "p");
}

}  // namespace
}  // namespace dflash
