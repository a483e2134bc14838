// The house rules that a compiler does not check: which part includes what, the size of files, and that every test is
// built.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/rooms/include_rules.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = test::source_dir();
constexpr int kMaxLines = 400;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The files below some folders of the repository that have one of these extensions, as paths from its root.
std::vector<std::string> files_below(const std::vector<std::string>& folders, const std::set<std::string>& extensions) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.is_regular_file() && extensions.contains(entry.path().extension().string())) {
        files.push_back(fs::relative(entry.path(), kRoot).string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> violations_of(const std::string& path, const std::string& text) {
  return include_violations(read_rooms(kRoot / "common/cmake/rooms.txt"), path, text);
}

TEST(Rooms, EveryFolderOfCommonIsARoom) {
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(kRoot / "common")) {
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  }
  std::set<std::string> expected = {"cmake"};
  for (const Room& room : read_rooms(kRoot / "common/cmake/rooms.txt")) expected.insert(room.name);
  EXPECT_EQ(folders, expected);
}

TEST(Rooms, EveryIncludeIsAllowed) {
  const auto files =
      files_below({"common", "coordinator", "target_worker", "drafter_worker", "deploy"}, {".h", ".cpp", ".cu"});
  ASSERT_GT(files.size(), 50U);
  for (const std::string& file : files) {
    EXPECT_NE(part_of(file), "") << file << " lies in no room and no program";
    for (const std::string& violation : violations_of(file, read(kRoot / file))) ADD_FAILURE() << violation;
  }
}

struct Planted {
  const char* path;
  const char* include;
};

TEST(Rooms, PlantedForbiddenIncludesAreFound) {
  const std::vector<Planted> forbidden = {
      {"common/base/x.cpp", "\"common/config/run_config.h\""},
      {"common/data/x.h", "\"common/tensor/x.h\""},
      {"common/model/x.cpp", "\"common/train/x.h\""},
      {"common/base/x.cpp", "\"x.h\""},
      {"common/base/x.cpp", "\"common/nowhere/x.h\""},
      {"common/eval/x.cpp", "\"drafter_worker/x.h\""},
      {"target_worker/x.cpp", "\"drafter_worker/x.h\""},
      {"deploy/cli/x.cpp", "\"deploy/model_cli/x.h\""},
      {"coordinator/x.cpp", "\"common/model/x.h\""},
      {"deploy/cli/x.cpp", "\"common/eval/x.h\""},
      {"coordinator/x.cpp", "<ATen/ATen.h>"},
      {"common/plan/x.h", "<c10/util/Exception.h>"},
      {"common/model/x.h", "<torch/torch.h>"},
      {"common/data/x.cpp", "\"proto/run_config.pb.h\""},
      {"common/train/x.cpp", "<google/protobuf/message.h>"},
      {"common/config/x.cpp", "<spdlog/spdlog.h>"},
      {"common/base/x.h", "<spdlog/spdlog.h>"},
      {"common/hf/x.cpp", "<nlohmann/json.hpp>"},
      {"common/hf/x.cpp", "<fmt/format.h>"},
      {"common/channel/x.cpp", "<mpi.h>"},
      {"common/mpi/x.h", "<mpi.h>"},
      {"common/channel/x.cpp", "<nccl.h>"},
      {"common/nccl/x.h", "<nccl.h>"},
      {"common/device/x.h", "<cuda_runtime_api.h>"},
      {"common/tensor/x.cpp", "<cuda_runtime.h>"},
      {"common/plan/x.cpp", "<toml++/toml.h>"},
      {"common/hf/x.cpp", "<simdjson.h>"},
      {"common/config/x.cpp", "<CLI/CLI.hpp>"},
  };
  for (const auto& [path, include] : forbidden) {
    EXPECT_EQ(violations_of(path, std::string("#pragma once\n  #  include ") + include + "\n").size(), 1U)
        << path << " includes " << include;
  }
}

TEST(Rooms, PlantedAllowedIncludesAreNotReported) {
  const std::vector<Planted> allowed = {
      {"common/config/x.cpp", "\"common/base/error.h\""},
      {"common/eval/x.h", "\"common/model/x.h\""},
      {"common/model/x.h", "<ATen/ATen.h>"},
      {"drafter_worker/x.cpp", "\"common/train/x.h\""},
      {"coordinator/x.cpp", "\"proto/control.pb.h\""},
      {"coordinator/x.cpp", "\"coordinator/batch_scheduler.h\""},
      {"deploy/model_cli/main.cpp", "\"common/eval/x.h\""},
      {"common/mpi/x.cpp", "<mpi.h>"},
      {"common/nccl/x.cpp", "<nccl.h>"},
      {"common/device/x.cpp", "<cuda_runtime_api.h>"},
      {"common/base/format.h", "<fmt/format.h>"},
      {"common/data/x.cpp", "<sys/mman.h>"},
      {"deploy/cli/main.cpp", "<CLI/CLI.hpp>"},
      {"common/train/x.cpp", "<torch/torch.h>"},
  };
  for (const auto& [path, include] : allowed) {
    EXPECT_TRUE(violations_of(path, std::string("#include ") + include + "\n").empty())
        << path << " includes " << include;
  }
}

TEST(Rooms, FilesAreShortAndFinished) {
  // Put together here, so that this file does not find itself.
  const std::vector<std::string> marks = {std::string("TO") + "DO", std::string("FIX") + "ME",
                                          std::string("DISABLED") + "_"};
  const auto files =
      files_below({"proto", "common", "coordinator", "target_worker", "drafter_worker", "deploy", "tests"},
                  {"", ".h", ".cpp", ".cu", ".proto", ".cmake", ".txt", ".py", ".toml", ".md"});
  for (const std::string& file : files) {
    const std::string text = read(kRoot / file);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), kMaxLines) << file << " is too long: split it by idea";
    for (const std::string& mark : marks) EXPECT_EQ(text.find(mark), std::string::npos) << file << " says " << mark;
  }
}

/// A copy that nobody waits for, and a tensor of two streams, are how memory is freed too early.
TEST(Rooms, OneFileLeavesCopiesUnderWay) {
  const std::string kOne = "common/tensor/torch_device.cpp";
  const std::vector<std::string> marks = {std::string("non_") + "blocking", std::string("record_") + "stream",
                                          std::string("record") + "Stream"};
  int found = 0;
  for (const std::string& file :
       files_below({"common", "target_worker", "drafter_worker", "deploy"}, {".h", ".cpp", ".cu"})) {
    const std::string text = read(kRoot / file);
    for (const std::string& mark : marks) {
      if (text.find(mark) == std::string::npos) continue;
      ++found;
      EXPECT_EQ(file, kOne) << file << " says " << mark;
    }
  }
  EXPECT_GE(found, 1);
}

TEST(Rooms, EveryTestFileIsBuilt) {
  std::set<std::string> built;
  std::ifstream list(DFLASH_TEST_SOURCES);
  for (std::string line; std::getline(list, line);) built.insert(fs::relative(line, kRoot).string());
  ASSERT_TRUE(built.contains("tests/rooms/rooms_test.cpp")) << DFLASH_TEST_SOURCES << " does not list this very file";
  for (const std::string& file : files_below({"tests"}, {".cpp"})) {
    if (file.ends_with("_test.cpp")) {
      EXPECT_TRUE(built.contains(file)) << file << " stands in no dflash_test() call";
    }
  }
}

}  // namespace
}  // namespace dflash
