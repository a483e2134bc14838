// Mistakes of use that the types refuse. Each case in must_not_compile/ is a function with one forbidden line; all are
// given to the compiler at once, without those lines (they must compile) and with them (each must fail as it says).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string path;      // from the root of the sources
  std::string expected;  // part of the compiler's error
};

std::vector<Case> read_cases() {
  const std::string begin = "// expect: ";
  std::vector<Case> cases;
  for (const auto& entry : fs::directory_iterator(test::source_dir() / "tests/device/must_not_compile")) {
    if (entry.path().extension() != ".cpp") continue;
    std::string line;
    std::getline(std::ifstream(entry.path()) >> std::ws, line);
    EXPECT_TRUE(line.starts_with(begin) && line.size() > begin.size() + 10) << entry.path();
    cases.push_back({fs::relative(entry.path(), test::source_dir()).string(), line.substr(begin.size())});
  }
  return cases;
}

test::ProgramResult compile(const std::vector<Case>& cases, const std::string& options) {
  const TempFolder folder;
  {
    std::ofstream all(folder.path() / "all.cpp");
    for (const Case& tested : cases) all << "#include \"" << tested.path << "\"\n";
  }
  return test::run_program("env LC_ALL=C " DFLASH_CXX_COMPILER
                           " -std=c++20 -fsyntax-only -Wall -Wextra -Werror -fno-diagnostics-show-caret -I " +
                           test::source_dir().string() + " " + options + " " + (folder.path() / "all.cpp").string());
}

/// Whether one line of the output is an error in this file that says what is expected.
bool refused(const std::string& output, const Case& tested) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const size_t place = line.find(tested.path + ":");
    const size_t error = line.find(" error: ");
    if (place < error && error < line.find(tested.expected) && line.find(tested.expected) != std::string::npos)
      return true;
  }
  return false;
}

TEST(MustNotCompile, WithoutTheForbiddenLinesAllIsWell) {
  const auto result = compile(read_cases(), "");
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(MustNotCompile, EachForbiddenLineIsRefusedForItsReason) {
  const std::vector<Case> cases = read_cases();
  EXPECT_GE(cases.size(), 25U);
  const auto result = compile(cases, "-DFORBIDDEN");
  EXPECT_NE(result.exit_code, 0);
  for (const Case& tested : cases) {
    EXPECT_TRUE(refused(result.output, tested)) << tested.path << " is not refused with: " << tested.expected;
  }
}

TEST(MustNotCompile, ARefusalOfAnotherCaseOrForAnotherReasonDoesNotCount) {
  const Case tested{"a/b.cpp", "use of deleted function"};
  EXPECT_TRUE(refused("/x/a/b.cpp:8:2: error: use of deleted function 'f'\n", tested));
  EXPECT_FALSE(refused("/x/a/c.cpp:8:2: error: use of deleted function 'f'\n", tested));
  EXPECT_FALSE(refused("/x/a/b.cpp:8:2: error: expected ';'\n", tested));
  EXPECT_FALSE(refused("/x/a/b.cpp:8:2: note: use of deleted function 'f'\n", tested));
}

}  // namespace
}  // namespace dflash
