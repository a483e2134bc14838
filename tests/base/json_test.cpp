#include "common/base/json.h"

#include <gtest/gtest.h>

#include "common/base/file.h"
#include "tests/support/errors.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

std::string nested(size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, KeepsKeyOrderAndValues) {
  const Json json = parse_json(R"({"z": 1, "a": [true, null, "x"], "m": 1e-06})", "test");
  EXPECT_EQ(json.dump(), R"({"z":1,"a":[true,null,"x"],"m":1e-06})");
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  for (const char* text : {"", " ", "{", "{\"a\":}", "[1,]", "nul", "{'a':1}", "[1] 2", "// c\n1", "NaN", "01",
                           "\"\xff\"", "\"\n\"", "{\"a\" 1}"}) {
    expect_error(ErrorKind::input_file, "config.json: not JSON", [&] { (void)parse_json(text, "config.json"); });
  }
}

TEST(ParseJson, RefusesTheSameKeyTwiceInOneObject) {
  expect_error(ErrorKind::input_file, "x.json: key 'a' stands twice",
               [] { (void)parse_json(R"({"a": 1, "b": 2, "a": 1})", "x.json"); });
  expect_error(ErrorKind::input_file, "key 'k' stands twice",
               [] { (void)parse_json(R"([{"o": {"k": 1, "k": 2}}])", "x.json"); });
  EXPECT_NO_THROW((void)parse_json(R"({"a": {"a": [{"a": 1}, {"a": 2}]}, "b": {"a": 1}})", "x.json"));
}

TEST(ParseJson, RefusesDeepNesting) {
  EXPECT_NO_THROW((void)parse_json(nested(60), "x.json"));
  expect_error(ErrorKind::input_file, "nests deeper than 64", [] { (void)parse_json(nested(100), "x.json"); });
  expect_error(ErrorKind::input_file, "nests deeper than 64",
               [] { (void)parse_json(std::string(1'000'000, '['), "x"); });
}

TEST(ParseJson, RefusesNumbersThatNoDoubleHolds) {
  expect_error(ErrorKind::input_file, "x.json", [] { (void)parse_json("[1e999]", "x.json"); });
}

TEST(ParseJson, RefusesAZeroByte) {
  expect_error(ErrorKind::input_file, "x.json", [] { (void)parse_json(std::string_view("{}\0 1", 5), "x.json"); });
}

TEST(ReadJsonFile, NamesTheFile) {
  const TempFolder folder;
  const auto path = folder.path() / "index.json";
  expect_error(ErrorKind::input_file, path.string(), [&] { (void)read_json_file(path); });
  write_text(path, "{");
  expect_error(ErrorKind::input_file, path.string(), [&] { (void)read_json_file(path); });
  write_text(path, R"({"a": 1})");
  EXPECT_EQ(read_json_file(path)["a"], 1);
}

TEST(ReadJsonFile, RefusesAFileOfAnotherKindOfSize) {
  const TempFolder folder;
  const auto path = folder.path() / "big.json";
  write_text(path, "1");
  std::filesystem::resize_file(path, (uintmax_t{64} << 20) + 1);  // sparse
  expect_error(ErrorKind::input_file, "too large", [&] { (void)read_json_file(path); });
}

}  // namespace
}  // namespace dflash
