#include "common/checkpoint/manifest_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/base/format.h"
#include "common/base/json.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

CheckpointManifest example() {
  CheckpointManifest manifest;
  manifest.set_version(kManifestVersion);
  manifest.set_step(20);
  manifest.set_next_sequence(int64_t{1} << 60);
  manifest.set_config_hash("00ff00ff00ff00ff");
  ManifestFile* file = manifest.add_files();
  file->set_path("state/a.bin");
  file->set_bytes(3);
  file->set_xxh3("0123456789abcdef");
  return manifest;
}

TEST(ManifestFile, NumbersArePlainAndComeBack) {
  const TempFolder folder;
  write_manifest(folder.path(), example());
  const Json json = Json::parse(read_text(folder.path() / "MANIFEST.json"));
  EXPECT_EQ(json["next_sequence"].get<int64_t>(), int64_t{1} << 60);
  EXPECT_TRUE(json["files"][0]["bytes"].is_number_integer());
  EXPECT_EQ(read_manifest(folder.path()).SerializeAsString(), example().SerializeAsString());
}

TEST(ManifestFile, EveryDamageIsRefusedByName) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "MANIFEST.json"},
      {"[1]", "no JSON object"},
      {R"({"step": 1})", "'version' is missing"},
      {R"({"version": 2})", "version 2, expected 1"},
      {R"({"version": 1, "step": "1"})", "'step' is not a whole number"},
      {R"({"version": 1, "step": 1, "next_sequence": 1, "config_hash": 7})", "'config_hash' is not text"},
      {R"({"version": 1, "step": 1, "next_sequence": 1, "config_hash": "", "files": {}})", "'files' is no list"},
      {R"({"version": 1, "step": 1, "next_sequence": 1, "config_hash": "", "files": [3]})", "is no object"},
      {R"({"version": 1, "step": 1, "next_sequence": 1, "config_hash": "",
           "files": [{"path": "../x", "bytes": 1, "xxh3": ""}]})",
       "'../x' leads out"},
  };
  for (const auto& [text, complaint] : cases) {
    const TempFolder folder;
    write_text(folder.path() / "MANIFEST.json", text);
    SCOPED_TRACE(text);
    expect_error(ErrorKind::checkpoint, complaint, [&] { (void)read_manifest(folder.path()); });
    expect_error(ErrorKind::checkpoint, "MANIFEST.json", [&] { (void)read_manifest(folder.path()); });
  }
}

TEST(ManifestFile, AManifestCutAnywhereIsRefused) {
  const TempFolder folder;
  write_manifest(folder.path(), example());
  const std::string whole = read_text(folder.path() / "MANIFEST.json");
  for (size_t size = 0; size + 2 < whole.size(); ++size) {
    write_text(folder.path() / "MANIFEST.json", whole.substr(0, size));
    expect_error(ErrorKind::checkpoint, "MANIFEST.json", [&] { (void)read_manifest(folder.path()); });
  }
}

TEST(ManifestFile, AFullDiskIsNoSpaceAndLeavesNoManifest) {
  const TempFolder folder;
  // The temporary name of write_file_atomic, led to the device that is always full.
  const auto temporary = folder.path() / format("MANIFEST.json.{}.tmp", getpid());
  std::filesystem::create_symlink("/dev/full", temporary);
  expect_error(ErrorKind::no_space, "MANIFEST.json", [&] { write_manifest(folder.path(), example()); });
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "MANIFEST.json"));
}

TEST(ManifestFile, PathsThatLeaveTheFolder) {
  for (const char* inside : {"a", "state/a.bin", "..a/b", "drafter/config.json"})
    EXPECT_TRUE(stays_inside(inside)) << inside;
  for (const char* outside : {"", ".", "..", "../a", "a/../../b", "a/../b", "./a", "/a", "a//b", "a/", "a/.."}) {
    EXPECT_FALSE(stays_inside(outside)) << outside;
  }
}

}  // namespace
}  // namespace dflash
