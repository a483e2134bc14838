#include "coordinator/run.h"

#include <ctime>

#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/checkpoint/run_folder.h"
#include "common/config/run_config.h"
#include "common/plan/data_plan.h"
#include "common/plan/data_settings.h"
#include "common/plan/link_plan.h"
#include "common/plan/resume_plan.h"
#include "common/plan/run_memory.h"
#include "coordinator/coordinator_loop.h"
#include "coordinator/roll_call.h"
#include "coordinator/run_end.h"
#include "coordinator/run_facts.h"

namespace dflash {
namespace {

LoopSettings loop_settings(const RunConfig& config, const RunFacts& facts, const ResumePlan& resume) {
  return {.resumed_from = resume.point ? std::optional(resume.point->step) : std::nullopt,
          .total_steps = facts.count.steps,
          .batches_per_step = facts.count.batches / facts.count.steps,
          .queue_depth = facts.plan.queue_depth,
          .checkpoint_every_steps = config.checkpoint().every_steps(),
          .stall_timeout_s = config.run().stall_timeout_s(),
          .config_hash = hash_hex(facts.hashes.config)};
}

Deadline patience(const RunConfig& config) {
  return Deadline::after(std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(config.run().stall_timeout_s())));
}

Welcome make_welcome(const RunConfig& config, const ResumePlan& resume) {
  Welcome welcome;
  *welcome.mutable_config() = config;
  if (resume.point) {
    welcome.mutable_resume()->set_folder(resume.point->folder.string());
    welcome.mutable_resume()->set_step(resume.point->step);
    welcome.mutable_resume()->set_next_sequence(resume.point->next_sequence);
  }
  return welcome;
}

/// What is known before the first batch, to the log and to whoever looks.
void tell(Console& console, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    log_info(text);
    console.notice(text);
  }
}

}  // namespace

void Run::read_settings() {
  config_ = load_run_config(command_.settings, command_.overrides);
  crew_.set_stall_timeout(config_.run().stall_timeout_s());
  expand_data_files(config_);
  refuse_conversations(config_);
  resume_ = plan_resume(command_.resume, config_, crew_.roles().count(Role::drafter));
}

RunFacts Run::start(const RunPlan& plan) {
  welcome_workers(crew_, make_welcome(config_, resume_), patience(config_));
  // While the workers load their models and the same data.
  RunFacts facts = gather_run_facts(config_, plan);
  if (resume_.point) {
    check_resumed_facts(*resume_.point, facts.hashes.data, facts.hashes.layout, facts.count.steps);
    facts.resumed_from_step = resume_.point->step;
  }
  await_ready(crew_, facts.hashes, patience(config_));

  lock_.emplace(config_.run().dir());
  if (command_.resume.empty()) check_run_folder(config_.run().dir());  // a run may have begun and ended meanwhile
  tell(console_, resume_.notices);
  tell(console_, prepare_run_folder(resume_, config_.run().dir()));
  recorder_.emplace(config_.run().dir(), config_toml(config_), run_facts_json(facts, std::time(nullptr)));
  log_to_file(recorder_->logs_folder() / "coordinator-0.log");
  log_info(config_table(config_));
  tell(console_,
       {describe_run_plan(plan) + describe_links(config_, crew_.roles()) + memory_text_, describe_data(facts)});
  Start message;
  message.set_total_steps(facts.count.steps);
  start_workers(crew_, message);
  return facts;
}

int Run::lead() {
  const RunFacts facts = with_places(command_.settings, command_.overrides, [&] {
    read_settings();
    const RunPlan plan = plan_of_run(config_, crew_.roles());
    check_data_settings(config_, plan.target);
    (void)describe_links(config_, crew_.roles());  // refuses links that cannot be
    memory_text_ = describe_run_memory(config_, plan, crew_.roles());
    fix_machine_settings(config_, plan);
    return start(plan);
  });
  loop_.emplace(loop_settings(config_, facts, resume_), crew_, *recorder_, console_);
  loop_->run();
  const Verdict verdict = verdict_of(*loop_, facts.count.steps);
  leave_verdict(config_.run().dir(), verdict);
  console_.notice(verdict.message);
  return verdict.exit_code;
}

void Run::end_badly(const std::exception& error) {
  console_.end_line();
  log_error(error.what());
  const Verdict verdict = verdict_of(error, loop_ ? &*loop_ : nullptr);
  // A folder that was refused is somebody else's.
  const std::string& dir = config_.run().dir();
  if (recorder_ || (resume_.point && lock_) || (!dir.empty() && is_new_run_folder(dir))) leave_verdict(dir, verdict);
  crew_.end(verdict.exit_code, verdict.message);
  flush_log();
  MpiEnv::leave(verdict.exit_code);
}

}  // namespace dflash
