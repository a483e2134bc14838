// What every kind of channel promises when the process at the other end is killed: whatever an end was doing, it learns
// of it within a second, after it received what was sent whole. See lost_peer_run.cpp.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "tests/support/run_program.h"

namespace dflash {
namespace {

struct Line {
  std::string first, second;
  int frames = -1;
  int ms = -1;
};

std::map<std::string, Line> lines_of(const std::string& output) {
  const std::regex pattern("(.*): (\\w+), then (\\w+), (\\d+) frames, (\\d+) ms");
  std::map<std::string, Line> lines;
  std::istringstream stream(output);
  std::smatch match;
  for (std::string text; std::getline(stream, text);) {
    if (!std::regex_match(text, match, pattern)) continue;
    lines[match[1]] = {match[2], match[3], std::stoi(match[4]), std::stoi(match[5])};
  }
  return lines;
}

class LostPeer : public testing::TestWithParam<const char*> {};

TEST_P(LostPeer, IsToldWithinASecondWhateverAnEndDoes) {
  // mpirun takes twice the timeout to end, so it is no longer than rank 0 may need.
  const std::string mpirun = DFLASH_MPIRUN + std::string(" --mca odls_base_sigkill_timeout 2 -n 2 ");
  const test::ProgramResult result = test::run_program(mpirun + DFLASH_LOST_PEER_RUN + " " + GetParam(), 40);
  const auto lines = lines_of(result.output);
  EXPECT_EQ(lines.size(), 7U) << result.output;
  const std::map<std::string, int> frames = {{"receive, nothing sent", 0},
                                             {"receive, half written", 1},
                                             {"receive, whole sent", 2},
                                             {"acquire", 0},
                                             {"finish", 0},
                                             {"send", 0}};
  for (const auto& [name, line] : lines) {
    EXPECT_EQ(line.first, "peer_lost") << name << "\n" << result.output;
    EXPECT_EQ(line.second, "peer_lost") << name << ": the first status sticks\n" << result.output;
    EXPECT_LT(line.ms, 1000) << name;
    if (const auto found = frames.find(name); found != frames.end()) {
      EXPECT_EQ(line.frames, found->second) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LostPeer, testing::Values("shm", "pinned_host", "nccl", "mpi"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace dflash
