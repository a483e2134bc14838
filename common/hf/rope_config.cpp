#include "common/hf/rope_config.h"

#include <array>
#include <utility>

#include "common/base/format.h"
#include "common/base/log.h"

namespace dflash {
namespace {

constexpr const char* kOriginalKey = "original_max_position_embeddings";

constexpr std::array<std::pair<RopeType, const char*>, 4> kTypeNames{{{RopeType::plain, "default"},
                                                                      {RopeType::linear, "linear"},
                                                                      {RopeType::llama3, "llama3"},
                                                                      {RopeType::yarn, "yarn"}}};

const char* type_name(RopeType wanted) {
  for (const auto& [type, name] : kTypeNames) {
    if (type == wanted) return name;
  }
  return "";
}

bool is_object_with_content(const ConfigFields& fields, const char* key) {
  if (!fields.has(key)) return false;
  if (!fields.value(key).is_object()) fields.refuse(key, "expected an object or null");
  return !fields.value(key).empty();
}

void refuse_partial_rotation(const ConfigFields& fields) {
  if (fields.has("partial_rotary_factor") && fields.value("partial_rotary_factor") != 1) {
    fields.refuse("partial_rotary_factor", "only 1 is computed (all channels rotate)");
  }
}

RopeType read_type(const ConfigFields& rope) {
  const char* key = rope.has("rope_type") ? "rope_type" : "type";
  if (!rope.has(key)) return RopeType::plain;
  const std::string given = rope.text(key);
  for (const auto& [type, name] : kTypeNames) {
    if (given == name) return type;
  }
  rope.refuse(key, format("is '{}': only default, linear, llama3 and yarn are computed", given));
}

double number_or(const ConfigFields& rope, const char* key, double absent) {
  return rope.has(key) ? rope.positive_number(key) : absent;
}

/// Frequencies are powers of 1 / theta: they fall from 1 for a theta above 1 alone.
double theta_or(const ConfigFields& fields, double absent) {
  const double theta = number_or(fields, "rope_theta", absent);
  if (theta <= 1) fields.refuse("rope_theta", format("is {}: expected a number above 1", theta));
  return theta;
}

void read_llama3(const ConfigFields& fields, RopeConfig& rope) {
  rope.factor = fields.positive_number("factor");
  rope.low_freq_factor = fields.positive_number("low_freq_factor");
  rope.high_freq_factor = fields.positive_number("high_freq_factor");
  if (rope.low_freq_factor >= rope.high_freq_factor) {
    fields.refuse("high_freq_factor", format("is {}: expected more than low_freq_factor = {}", rope.high_freq_factor,
                                             rope.low_freq_factor));
  }
}

void read_yarn(const ConfigFields& fields, int64_t max_position_embeddings, RopeConfig& rope) {
  rope.factor = number_or(
      fields, "factor",
      static_cast<double>(max_position_embeddings) / static_cast<double>(rope.original_max_position_embeddings));
  rope.beta_fast = number_or(fields, "beta_fast", 32);
  rope.beta_slow = number_or(fields, "beta_slow", 1);
  if (fields.has("attention_factor")) rope.attention_factor = fields.positive_number("attention_factor");
  for (const auto& [key, value] : {std::pair{"mscale", &rope.mscale}, {"mscale_all_dim", &rope.mscale_all_dim}}) {
    const bool given = fields.has(key) && fields.value(key) != 0;  // 0 counts as absent
    *value = given ? fields.positive_number(key) : 0;
  }
  rope.truncate = fields.flag("truncate", true);
}

/// What stands beside the rope object, at the top level.
struct Surroundings {
  double theta;
  int64_t max_position_embeddings;
  std::optional<int64_t> original_max_position_embeddings;
};

RopeConfig read_rope_object(const ConfigFields& fields, const Surroundings& around) {
  for (const auto& item : fields.json().items()) {
    if (item.value().is_object()) fields.refuse(item.key(), "a rope of its own for each layer type is not computed");
  }
  refuse_partial_rotation(fields);
  RopeConfig rope;
  rope.type = read_type(fields);
  rope.theta = theta_or(fields, around.theta);
  if (rope.type == RopeType::plain) return rope;
  if (rope.type == RopeType::linear) {
    rope.factor = fields.positive_number("factor");
    return rope;
  }
  const auto original = fields.optional_integer(kOriginalKey, 1, kLargestSize).value_or(around.max_position_embeddings);
  rope.original_max_position_embeddings = around.original_max_position_embeddings.value_or(original);
  if (rope.type == RopeType::llama3) read_llama3(fields, rope);
  if (rope.type == RopeType::yarn) read_yarn(fields, around.max_position_embeddings, rope);
  return rope;
}

Json yarn_json(const RopeConfig& rope) {
  Json json{{"rope_type", "yarn"},
            {"factor", rope.factor},
            {"original_max_position_embeddings", rope.original_max_position_embeddings},
            {"beta_fast", rope.beta_fast},
            {"beta_slow", rope.beta_slow}};
  if (rope.attention_factor) json["attention_factor"] = *rope.attention_factor;
  if (rope.mscale > 0) json["mscale"] = rope.mscale;
  if (rope.mscale_all_dim > 0) json["mscale_all_dim"] = rope.mscale_all_dim;
  if (!rope.truncate) json["truncate"] = false;
  return json;
}

}  // namespace

RopeConfig read_rope(const ConfigFields& fields, int64_t max_position_embeddings) {
  refuse_partial_rotation(fields);
  RopeConfig plain;
  plain.theta = theta_or(fields, plain.theta);
  const Surroundings around{plain.theta, max_position_embeddings,
                            fields.optional_integer(kOriginalKey, 1, kLargestSize)};
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (!is_object_with_content(fields, key)) continue;
    const ConfigFields object(fields.value(key), format("{}: {}", fields.source(), key));
    const RopeConfig rope = read_rope_object(object, around);
    if (fields.has("rope_theta") && rope.theta != plain.theta) {
      log_warn(format("{}: rope_theta is {} in {} and {} beside it; the former is used", fields.source(), rope.theta,
                      key, plain.theta));
    }
    return rope;
  }
  return plain;
}

Json rope_scaling_json(const RopeConfig& rope) {
  switch (rope.type) {
    case RopeType::plain:
      return {};
    case RopeType::linear:
      return {{"rope_type", "linear"}, {"factor", rope.factor}};
    case RopeType::llama3:
      return {{"rope_type", "llama3"},
              {"factor", rope.factor},
              {"low_freq_factor", rope.low_freq_factor},
              {"high_freq_factor", rope.high_freq_factor},
              {"original_max_position_embeddings", rope.original_max_position_embeddings}};
    case RopeType::yarn:
      return yarn_json(rope);
  }
  return {};
}

std::string describe_rope(const RopeConfig& rope) {
  if (rope.type == RopeType::plain) return format("theta {}", rope.theta);
  if (rope.type == RopeType::linear) return format("linear x{}, theta {}", rope.factor, rope.theta);
  return format("{} x{} over {} positions, theta {}", type_name(rope.type), rope.factor,
                rope.original_max_position_embeddings, rope.theta);
}

}  // namespace dflash
