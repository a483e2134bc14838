#include "common/hf/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <set>
#include <tuple>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/json.h"

namespace dflash {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are read in place, and stand little-endian on the disk");

constexpr uint64_t kLongestHeaderBytes = uint64_t{100} << 20;
constexpr size_t kLengthBytes = sizeof(uint64_t);

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: {}", where, why));
}

/// The JSON text between the length and the data.
std::string_view header_text(std::string_view file, const std::string& where) {
  if (file.size() < kLengthBytes) {
    refuse(where, format("{} bytes are no safetensors file: expected at least 8", file.size()));
  }
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kLongestHeaderBytes) {
    refuse(where, format("header of {} bytes: at most {} are allowed; is this a safetensors file?", length,
                         kLongestHeaderBytes));
  }
  if (length > file.size() - kLengthBytes) {
    refuse(where, format("header of {} bytes ends behind the file's {}: the file is cut short", length, file.size()));
  }
  const std::string_view text = file.substr(kLengthBytes, length);
  if (!text.starts_with('{')) refuse(where, "the header does not begin with '{': is this a safetensors file?");
  if (text.find('\0') != std::string_view::npos) refuse(where, "the header holds a zero byte");
  return text;
}

/// A non-negative integer that fits int64.
uint64_t read_count(const Json& value, const std::string& where, const char* what) {
  constexpr auto kLargest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!value.is_number_unsigned() || value.get<uint64_t>() > kLargest) {
    refuse(where, format("{} {}: expected a non-negative integer", what, value.dump()));
  }
  return value.get<uint64_t>();
}

/// One tensor of the header and where its bytes lie in the data.
struct Entry {
  std::string name;
  TensorView view;
  uint64_t begin = 0, end = 0;
};

void check_fields(const Json& fields, const std::string& where) {
  static const std::set<std::string> kKnown{"dtype", "shape", "data_offsets"};
  if (!fields.is_object()) refuse(where, "expected an object with dtype, shape, data_offsets");
  for (const std::string& key : kKnown) {
    if (!fields.contains(key)) refuse(where, format("'{}' is missing", key));
  }
  for (const auto& item : fields.items()) {
    if (!kKnown.contains(item.key())) refuse(where, format("unknown field '{}'", item.key()));
  }
}

DType read_dtype(const Json& code, const std::string& where) {
  if (!code.is_string()) refuse(where, "dtype is no string");
  const auto dtype = dtype_from_code(code.get<std::string>());
  if (!dtype) refuse(where, format("dtype '{}' is not supported", code.get<std::string>()));
  return *dtype;
}

/// Fills shape; the bytes that a tensor of this shape and dtype takes.
uint64_t read_shape(const Json& shape, TensorView& view, const std::string& where) {
  if (!shape.is_array()) refuse(where, "shape is no list");
  uint64_t bytes = dtype_bytes(view.dtype);
  for (const Json& dimension : shape) {
    const uint64_t size = read_count(dimension, where, "dimension");
    if (__builtin_mul_overflow(bytes, size, &bytes)) refuse(where, format("shape {} is too large", shape.dump()));
    view.shape.push_back(static_cast<int64_t>(size));
  }
  return bytes;
}

Entry read_entry(const std::string& name, const Json& fields, std::span<const std::byte> data,
                 const std::string& where) {
  check_fields(fields, where);
  Entry entry;
  entry.name = name;
  entry.view.dtype = read_dtype(fields["dtype"], where);
  const uint64_t expected_bytes = read_shape(fields["shape"], entry.view, where);
  const Json& offsets = fields["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2) refuse(where, "data_offsets: expected [begin, end]");
  entry.begin = read_count(offsets[0], where, "data offset");
  entry.end = read_count(offsets[1], where, "data offset");
  if (entry.begin > entry.end || entry.end > data.size()) {
    refuse(where, format("data_offsets {} leave the {} bytes of data", offsets.dump(), data.size()));
  }
  if (entry.end - entry.begin != expected_bytes) {
    refuse(where, format("data_offsets span {} bytes, shape {} of {} takes {}", entry.end - entry.begin,
                         fields["shape"].dump(), dtype_code(entry.view.dtype), expected_bytes));
  }
  entry.view.bytes = data.subspan(entry.begin, expected_bytes);
  return entry;
}

std::map<std::string, std::string> read_metadata(const Json& object, const std::string& where) {
  if (!object.is_object()) refuse(where, "__metadata__ is no object");
  std::map<std::string, std::string> metadata;
  for (const auto& item : object.items()) {
    if (!item.value().is_string()) refuse(where, format("__metadata__ '{}' is no string", item.key()));
    metadata[item.key()] = item.value().get<std::string>();
  }
  return metadata;
}

/// The tensors, one behind the other, must be the whole data.
void check_cover(std::vector<Entry>& entries, uint64_t data_bytes, const std::string& where) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin < position) refuse(where, format("tensor '{}': its data overlaps another tensor's", entry.name));
    if (entry.begin > position) {
      refuse(where, format("hole of {} bytes before tensor '{}'", entry.begin - position, entry.name));
    }
    position = entry.end;
  }
  if (position != data_bytes) refuse(where, format("{} bytes behind the last tensor", data_bytes - position));
}

}  // namespace

int64_t TensorView::element_count() const {
  return static_cast<int64_t>(bytes.size() / dtype_bytes(dtype));
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  const std::string where = path.string();
  const std::string_view text = header_text(file_.text(), where);
  const auto data = file_.bytes().subspan(kLengthBytes + text.size());
  const Json header = parse_json(text, where);
  std::vector<Entry> entries;
  for (const auto& item : header.items()) {
    if (item.key() == "__metadata__") {
      metadata_ = read_metadata(item.value(), where);
    } else {
      entries.push_back(read_entry(item.key(), item.value(), data, format("{}: tensor '{}'", where, item.key())));
    }
  }
  check_cover(entries, data.size(), where);
  for (Entry& entry : entries) tensors_.emplace(std::move(entry.name), std::move(entry.view));
}

}  // namespace dflash
