#include "deploy/model_cli/generate_settings.h"

#include <algorithm>
#include <filesystem>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/text/tokenizer/tokenizer.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

// What transformers takes when generation_config.json asks for drawing and does not say how.
constexpr double kUsualTemperature = 1, kUsualTopP = 1;
constexpr int64_t kUsualTopK = 50;

/// A number of generation_config.json in [least, most]; `otherwise` when it has none.
double number_of(const Json& json, const char* key, double least, double most, double otherwise, const fs::path& path) {
  if (!json.contains(key) || json[key].is_null()) return otherwise;
  const Json& value = json[key];
  if (value.is_number() && value.get<double>() >= least && value.get<double>() <= most) return value.get<double>();
  throw Error(ErrorKind::input_file,
              format("{}: {} must be a number from {} to {}, got {}", path.string(), key, least, most, value.dump()));
}

Sampling sampling_of_model(const fs::path& folder) {
  const fs::path path = folder / "generation_config.json";
  const Json json = read_json_file(path);
  if (!json.is_object()) throw Error(ErrorKind::input_file, format("{}: expected an object", path.string()));
  if (json.value("do_sample", Json(false)) != Json(true)) return {};
  Sampling sampling;
  sampling.temperature = number_of(json, "temperature", 0, 100, kUsualTemperature, path);
  sampling.top_p = number_of(json, "top_p", 1e-6, 1, kUsualTopP, path);
  sampling.top_k = static_cast<int64_t>(number_of(json, "top_k", 0, 1 << 30, kUsualTopK, path));
  return sampling;
}

void refuse_without_drawing(bool given, const char* option) {
  if (!given) return;
  throw Error(ErrorKind::config, format("{} says nothing about greedy answers; give --temperature too", option));
}

/// Of a file its size and all of it; of a large one (weights) its first and last MiB, so that a start stays quick.
void hash_file(const fs::path& path, Hasher& hasher) {
  constexpr size_t kWholeBytes = size_t{64} << 20, kEndBytes = size_t{1} << 20;
  const MappedFile file(path);
  const auto bytes = file.bytes();
  const std::string head = format("{} {}\n", path.filename().string(), bytes.size());
  hasher.add(std::as_bytes(std::span(head)));
  if (bytes.size() <= kWholeBytes) {
    hasher.add(bytes);
  } else {
    hasher.add(bytes.first(kEndBytes));
    hasher.add(bytes.last(kEndBytes));
  }
}

std::string hash_files(const std::vector<fs::path>& paths) {
  Hasher hasher;
  for (const fs::path& path : paths) {
    if (fs::is_regular_file(path)) hash_file(path, hasher);
  }
  return hash_hex(hasher.value());
}

std::vector<fs::path> model_files(const fs::path& folder) {
  std::vector<fs::path> paths{folder / "config.json"};
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") paths.push_back(entry.path());
  }
  std::sort(paths.begin() + 1, paths.end());
  return paths;
}

/// The files that a template and its special tokens come from.
std::vector<fs::path> template_files(const GenerateSettings& settings) {
  const fs::path own = settings.chat_template, folder = settings.target;
  std::vector<fs::path> paths;
  if (!own.empty() && fs::is_directory(own)) {
    paths = {own / "chat_template.jinja", own / "tokenizer_config.json"};
  } else if (!own.empty()) {
    paths = {own};
  } else {
    paths = {folder / "chat_template.jinja"};
  }
  paths.push_back(folder / "tokenizer_config.json");
  return paths;
}

}  // namespace

Sampling make_sampling(const GenerateSettings& settings) {
  Sampling sampling;
  if (settings.sample_as_model) {
    sampling = sampling_of_model(settings.target);
    if (sampling.temperature == 0) {
      throw Error(ErrorKind::config,
                  format("--sample-as-model: generation_config.json of {} does not ask for drawing (do_sample, "
                         "temperature); leave the option out for greedy answers",
                         settings.target));
    }
  } else if (settings.temperature.value_or(0) == 0) {
    refuse_without_drawing(settings.top_p.has_value(), "--top-p");
    refuse_without_drawing(settings.top_k.has_value(), "--top-k");
    refuse_without_drawing(settings.seed.has_value(), "--seed");
    return sampling;
  } else {
    sampling.temperature = *settings.temperature;
    sampling.top_p = settings.top_p.value_or(1);
    sampling.top_k = settings.top_k.value_or(0);
  }
  sampling.seed = settings.seed.value_or(0);
  return sampling;
}

int64_t make_max_context(const GenerateSettings& settings, const ModelConfig& target) {
  const int64_t most = target.max_position_embeddings;
  const int64_t asked = settings.max_context.value_or(most);
  if (asked <= most) return asked;
  throw Error(ErrorKind::config, format("--max-context {}: the target has {} positions", asked, most));
}

Json lasting_settings(const GenerateSettings& settings, const Sampling& sampling, int64_t max_context,
                      const std::vector<int64_t>& stop_tokens, const std::string& prompts) {
  const fs::path tokenizer = settings.tokenizer.empty() ? settings.target : settings.tokenizer;
  return {{"prompts", prompts},
          {"format", settings.shape ? row_shape_name(*settings.shape) : "auto"},
          {"target", hash_files(model_files(settings.target))},
          {"tokenizer", hash_files({tokenizer_file(tokenizer)})},
          {"template", hash_files(template_files(settings))},
          {"template_variables", settings.template_variables.dump()},
          {"now", settings.now},
          {"temperature", sampling.temperature},
          {"top_p", sampling.top_p},
          {"top_k", sampling.top_k},
          {"seed", sampling.seed},
          {"max_new_tokens", settings.max_new_tokens},
          {"max_context", max_context},
          {"stop_tokens", stop_tokens},
          {"dtype", settings.dtype}};
}

}  // namespace dflash
