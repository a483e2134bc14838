#include "tests/bench/bench_table.h"

#include <cstdio>

#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/json.h"

namespace dflash::bench {

void BenchTable::add(Row row) {
  std::string line = format("{}\n    {:.4g} {}", row.row, row.value, row.unit);
  if (row.ratio) line += format(", {:.3f} of {}", *row.ratio, row.reference);
  if (row.goal) line += format(", goal {:.3g}: {}", *row.goal, !row.met ? "no verdict" : *row.met ? "met" : "MISSED");
  if (!row.remark.empty()) line += format(" ({})", row.remark);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
  rows_.push_back(std::move(row));
}

void BenchTable::add(const std::string& row, const std::string& unit, const std::string& reference,
                     const Paired& paired, const std::optional<Goal>& goal) {
  Row result{row, paired.b, unit, format("{} ({:.4g} {})", reference, paired.a, unit), paired.ratio, {}, {}, {}};
  result.remark = format("worst pair {:.3f}", paired.worst);
  if (!paired.trusted()) result.remark += format("; control {:.3f}: the machine is not quiet", paired.control);
  if (goal) {
    result.goal = goal->ratio;
    if (paired.trusted()) result.met = goal->at_most ? paired.ratio <= goal->ratio : paired.ratio >= goal->ratio;
  }
  add(std::move(result));
}

void BenchTable::write(const std::filesystem::path& folder) const {
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  Json rows = Json::array();
  for (const Row& row : rows_) {
    rows.push_back({{"row", row.row},
                    {"value", row.value},
                    {"unit", row.unit},
                    {"reference", row.reference},
                    {"ratio", or_null(row.ratio)},
                    {"goal", or_null(row.goal)},
                    {"met", or_null(row.met)},
                    {"remark", row.remark}});
  }
  std::filesystem::create_directories(folder);
  write_file_atomic(folder / (group_ + ".json"), Json{{"rows", rows}}.dump(2) + "\n");
}

int run_group(int argc, char** argv, const std::string& group,
              std::initializer_list<void (*)(BenchTable&)> benchmarks) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s_bench FOLDER    writes FOLDER/%s.json\n", group.c_str(), group.c_str());
    return 10;
  }
  BenchTable table(group);
  for (auto* const benchmark : benchmarks) benchmark(table);
  table.write(argv[1]);
  return 0;
}

}  // namespace dflash::bench
