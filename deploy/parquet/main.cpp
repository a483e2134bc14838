// dflash-parquet FILE: the rows of a Parquet file as JSON lines on standard output. A program of its own, so that
// nothing else carries the Arrow libraries; the reader of rows starts it.
#include <arrow/api.h>
#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>

#include <cstdio>
#include <exception>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "deploy/parquet/arrow_json.h"

namespace dflash {
namespace {

constexpr int64_t kBatchRows = 64;

/// As one line; a row whose text is no UTF-8 becomes a line that is no JSON, so that it is counted as such.
std::string line_of(const Json& row) {
  try {
    return row.dump() + "\n";
  } catch (const Json::type_error&) {
    return "text that is not UTF-8\n";
  }
}

arrow::Status print_rows(const std::string& path) {
  parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(builder.OpenFile(path));
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_batch_size(kBatchRows);
  properties.set_pre_buffer(false);  // a row group may be larger than the memory
  ARROW_ASSIGN_OR_RAISE(const auto file, builder.properties(properties)->Build());
  ARROW_ASSIGN_OR_RAISE(const auto batches, file->GetRecordBatchReader());
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, batches->Next());
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto rows, batch->ToStructArray());
    for (int64_t row = 0; row < rows->length(); ++row) {
      const std::string line = line_of(arrow_json(*rows, row));
      if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size()) return arrow::Status::IOError("output");
    }
  }
}

int fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", one_line(why).c_str());
  return exit_code(ErrorKind::input_file);
}

}  // namespace
}  // namespace dflash

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: dflash-parquet FILE.parquet\n", stderr);
    return dflash::exit_code(dflash::ErrorKind::config);
  }
  try {
    const arrow::Status status = dflash::print_rows(argv[1]);
    return status.ok() ? 0 : dflash::fail(status.message());
  } catch (const std::exception& error) {
    return dflash::fail(error.what());
  }
}
