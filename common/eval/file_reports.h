// An evaluation on several files: a report for each beside the one for all. A mean over unlike sets hides that maths
// and code accept more than chat.
#pragma once

#include "common/eval/acceptance_report.h"

namespace dflash {

struct FileReport {
  std::string path;
  AcceptanceReport report;
};

/// One for each of `paths`, of the prompts whose `file` it is.
[[nodiscard]] std::vector<FileReport> make_file_reports(const std::vector<std::string>& paths,
                                                        const std::vector<Prompt>& prompts,
                                                        const std::vector<Decoded>& decoded,
                                                        const std::vector<GreedyVerdict>& verdicts, int64_t block_size);

/// report_json of all, and `files`: for each file `path` and the same keys.
[[nodiscard]] Json file_reports_json(const AcceptanceReport& all, const std::vector<FileReport>& files);
/// When there are several files: a table for each under its name, with a line for each kind it has. Then report_text of
/// all.
[[nodiscard]] std::string file_reports_text(const AcceptanceReport& all, const std::vector<FileReport>& files);

}  // namespace dflash
