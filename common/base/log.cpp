#include "common/base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace dflash {
namespace {

std::shared_ptr<spdlog::logger>& logger() {
  static std::shared_ptr<spdlog::logger> instance;
  return instance;
}

void write(spdlog::level::level_enum level, const std::string& line) {
  if (logger()) logger()->log(level, spdlog::string_view_t(line));
}

}  // namespace

void init_log(const std::string& name) {
  auto console = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  logger() = std::make_shared<spdlog::logger>(name, console);
  logger()->set_pattern("[%n] %l: %v");
}

void log_to_file(const std::filesystem::path& path) {
  logger()->sinks().front()->set_level(spdlog::level::warn);
  auto file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
  file->set_pattern("%Y-%m-%d %H:%M:%S.%e %n %l: %v");
  logger()->sinks().push_back(file);
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
