#include "deploy/cli/inspect_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/hf/export_rules/drafter_summary.h"
#include "common/hf/export_rules/export_rules.h"
#include "common/hf/model_summary.h"
#include "deploy/cli/inspect_data.h"
#include "proto/run_config.pb.h"

namespace dflash {
namespace {

struct InspectOptions {
  std::string folder;
  std::string target;
  std::optional<int64_t> captured;
  bool json = false;
};

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_json(const Json& json) {
  print(json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n");
}

Json facts_json(const std::string& folder, const std::vector<SummaryFact>& facts) {
  Json json{{"folder", folder}};
  for (const SummaryFact& fact : facts) json[fact.name] = fact.value;
  return json;
}

void print_facts(const std::vector<SummaryFact>& facts) {
  for (const SummaryFact& fact : facts) {
    std::string label = fact.name;
    std::ranges::replace(label, '_', ' ');
    print(format("{:<18}{}\n", label, one_line(fact.text)));
  }
}

int folder_exit_code(bool good) {
  return good ? 0 : exit_code(ErrorKind::input_file);
}

int inspect_model(const InspectOptions& options) {
  const ModelSummary summary = summarize_model(options.folder, options.captured, DrafterSection().num_layers());
  if (options.json) {
    Json json = facts_json(options.folder, summary.facts);
    json["problems"] = summary.problems;
    print_json(json);
  } else {
    print_facts(summary.facts);
    for (const std::string& problem : summary.problems) print(format("PROBLEM           {}\n", one_line(problem)));
  }
  return folder_exit_code(summary.problems.empty());
}

const char* state_word(RuleState state) {
  if (state == RuleState::pass) return "pass";
  return state == RuleState::fail ? "FAIL" : "note";
}

std::ptrdiff_t count(const std::vector<RuleResult>& rules, RuleState state) {
  return std::ranges::count(rules, state, &RuleResult::state);
}

void print_rules(const std::vector<RuleResult>& rules) {
  print("\n");
  for (const RuleResult& result : rules) {
    print(format("{}  {:<36}{}\n", state_word(result.state), result.rule, one_line(result.found)));
  }
  print(format("{} rules passed, {} failed\n", count(rules, RuleState::pass), count(rules, RuleState::fail)));
}

Json rules_json(const std::vector<RuleResult>& rules) {
  Json list = Json::array();
  for (const RuleResult& result : rules) {
    list.push_back({{"rule", result.rule}, {"state", state_word(result.state)}, {"found", result.found}});
  }
  return list;
}

/// The folder of a checkpoint holds its drafter one level below.
void refuse_checkpoint(const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / "config.json") || !std::filesystem::exists(folder / "drafter")) return;
  throw Error(ErrorKind::input_file,
              format("{}: a checkpoint; its drafter lies in {}", folder.string(), (folder / "drafter").string()));
}

int inspect_drafter(const InspectOptions& options) {
  refuse_checkpoint(options.folder);
  const RawDrafter drafter = read_raw_drafter(options.folder);
  const auto facts = summarize_drafter(drafter);
  std::vector<RuleResult> rules = check_drafter(drafter);
  if (!options.target.empty()) {
    for (RuleResult& result : check_against_target(drafter, read_model_config(options.target))) {
      rules.push_back(std::move(result));
    }
  }
  if (options.json) {
    Json json = facts_json(options.folder, facts);
    json["rules"] = rules_json(rules);
    json["passed"] = count(rules, RuleState::pass);
    json["failed"] = count(rules, RuleState::fail);
    print_json(json);
  } else {
    print_facts(facts);
    print_rules(rules);
  }
  return folder_exit_code(count(rules, RuleState::fail) == 0);
}

CLI::App* add_inspector(CLI::App& parent, const char* name, const char* what, InspectOptions& options) {
  CLI::App* command = parent.add_subcommand(name, what);
  command->add_option("DIR", options.folder, "a folder in Hugging Face layout")->required();
  command->add_flag("--json", options.json, "print JSON alone");
  return command;
}

}  // namespace

void add_inspect_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* inspect = app.add_subcommand("inspect", "tell what a folder or file holds, and what is wrong with it");
  inspect->require_subcommand(1);
  CLI::App* model = add_inspector(*inspect, "model", "a target: sizes, weights, what would be captured", *options);
  model->add_option("--captured", options->captured, "captured layers, instead of those of a default drafter");
  model->callback([options, &exit_code] { exit_code = inspect_model(*options); });
  CLI::App* drafter =
      add_inspector(*inspect, "drafter", "a drafter, and whether every reader serves it as it was trained", *options);
  drafter->add_option("--target", options->target, "the target's folder: check also that the drafter fits it");
  drafter->callback([options, &exit_code] { exit_code = inspect_drafter(*options); });
  add_inspect_data(*inspect);
}

}  // namespace dflash
