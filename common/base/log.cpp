#include "common/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace dflash {
namespace {

std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance;
  return instance;
}

std::shared_ptr<spdlog::sinks::dist_sink_mt>& all_sinks() {
  static std::shared_ptr<spdlog::sinks::dist_sink_mt> instance;
  return instance;
}

spdlog::sink_ptr& console_sink() {
  static spdlog::sink_ptr instance;
  return instance;
}

void write(spdlog::level::level_enum level, const std::string& line) {
  if (logger()) logger()->log(level, spdlog::string_view_t(line));
}

}  // namespace

void init_log(const std::string& name) {
  auto console = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  console->set_pattern("[%n] %l: %v");
  all_sinks() = std::make_shared<spdlog::sinks::dist_sink_mt>(std::vector<spdlog::sink_ptr>{console});
  console_sink() = console;
  logger() = std::make_shared<spdlog::logger>(name, all_sinks());
}

void log_to_file(const std::filesystem::path& path) {
  console_sink()->set_level(spdlog::level::warn);
  auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
  file->set_pattern("%Y-%m-%d %H:%M:%S.%e %n %l: %v");
  all_sinks()->add_sink(file);              // other threads may be writing
  logger()->flush_on(spdlog::level::info);  // lines are rare, and wanted most when a rank was killed
}

void log_info(const std::string& line) {
  write(spdlog::level::info, line);
}
void log_warn(const std::string& line) {
  write(spdlog::level::warn, line);
}
void log_error(const std::string& line) {
  write(spdlog::level::err, line);
}
void flush_log() {
  if (logger()) logger()->flush();
}

}  // namespace dflash
