#include "deploy/cli/doctor_command.h"

#include <cstdio>
#include <memory>

#include "common/base/error.h"
#include "common/base/terminal_colour.h"
#include "deploy/cli/doctor/examine.h"
#include "deploy/cli/doctor/report.h"
#include "deploy/cli/worker_limit.h"

namespace dflash {
namespace {

struct DoctorOptions {
  DoctorRequest request;
  bool json = false;
};

int run_doctor(const DoctorOptions& options) {
  const Findings findings = examine(options.request);
  const std::string text = options.json
                               ? report_json(findings).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                               : report_text(findings, wants_colour("auto"));
  std::fputs(text.c_str(), stdout);
  return count_of(findings, Light::bad) == 0 ? 0 : exit_code(ErrorKind::config);
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* doctor = app.add_subcommand("doctor", "look at this machine: what a run would meet, and what to do");
  doctor->add_option("--dir", options->request.dir, "folder that a run would write to")->default_str(".");
  doctor->add_option("--targets", options->request.targets, "target workers of the run")
      ->check(CLI::Range(1, kMostWorkers))
      ->capture_default_str();
  doctor->add_option("--drafters", options->request.drafters, "drafter workers of the run")
      ->check(CLI::Range(1, kMostWorkers))
      ->capture_default_str();
  doctor->add_flag("--json", options->json, "print only JSON");
  doctor->callback([options, &exit_code] { exit_code = run_doctor(*options); });
}

}  // namespace dflash
