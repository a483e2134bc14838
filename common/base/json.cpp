#include "common/base/json.h"

#include <set>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"

namespace dflash {
namespace {

constexpr int kDeepestNesting = 64;
constexpr uint64_t kLargestFileBytes = uint64_t{64} << 20;

/// Watches the parser's events: refuses deep nesting and a key that an object already has.
class StrictWatcher {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kDeepestNesting) throw Error(ErrorKind::input_file, format("nests deeper than {}", kDeepestNesting));
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.back().insert(parsed.get<std::string>()).second) {
      throw Error(ErrorKind::input_file, format("key '{}' stands twice in one object", parsed.get<std::string>()));
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& source) {
  if (text.find('\0') != std::string_view::npos) {  // nlohmann takes it for the end and drops what follows
    throw Error(ErrorKind::input_file, format("{}: not JSON: it holds a zero byte", source));
  }
  StrictWatcher watcher;
  try {
    return Json::parse(
        text, [&watcher](int depth, Json::parse_event_t event, Json& parsed) { return watcher(depth, event, parsed); });
  } catch (const Error& error) {
    throw Error(ErrorKind::input_file, format("{}: {}", source, error.what()));
  } catch (const Json::out_of_range&) {
    throw Error(ErrorKind::input_file, format("{}: holds a number too large for a double", source));
  } catch (const Json::parse_error& error) {
    throw Error(ErrorKind::input_file,
                format("{}: not JSON, at byte {}: expected a whole JSON value", source, error.byte));
  }
}

Json read_json_file(const std::filesystem::path& path) {
  const MappedFile file(path);
  if (file.bytes().size() > kLargestFileBytes) {
    throw Error(ErrorKind::input_file,
                format("{}: {} bytes is too large for a JSON file of this kind", path.string(), file.bytes().size()));
  }
  return parse_json(file.text(), path.string());
}

}  // namespace dflash
