#include "common/eval/file_reports.h"

#include "common/base/format.h"
#include "common/text/shown/visible_text.h"

namespace dflash {

std::vector<FileReport> make_file_reports(const std::vector<std::string>& paths, const std::vector<Prompt>& prompts,
                                          const std::vector<Decoded>& decoded,
                                          const std::vector<GreedyVerdict>& verdicts, int64_t block_size) {
  std::vector<FileReport> files;
  for (size_t file = 0; file < paths.size(); ++file) {
    AcceptanceReport report = empty_report(block_size);
    for (size_t i = 0; i < prompts.size(); ++i) {
      if (prompts[i].file == file) report.add(prompts[i], decoded[i], verdicts[i]);
    }
    files.push_back({paths[file], std::move(report)});
  }
  return files;
}

Json file_reports_json(const AcceptanceReport& all, const std::vector<FileReport>& files) {
  Json json = report_json(all);
  json["files"] = Json::array();
  for (const FileReport& file : files) {
    Json entry{{"path", file.path}};
    entry.update(report_json(file.report));
    json["files"].push_back(std::move(entry));
  }
  return json;
}

std::string file_reports_text(const AcceptanceReport& all, const std::vector<FileReport>& files) {
  if (files.size() == 1) return report_text(all);
  std::string text;
  for (const FileReport& file : files) {
    text += format("{}\n{}\n", visible_line(file.path), counts_table(file.report));
  }
  return text + format("{} files\n", files.size()) + report_text(all);
}

}  // namespace dflash
