#include "common/data/rows/row_shape.h"

#include <algorithm>
#include <array>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

struct ShapeFields {
  RowShape shape;
  const char* name;
  std::array<const char*, 2> fields;  // it has this shape when it has both
};

// In the order in which a row's fields are looked at.
constexpr std::array<ShapeFields, kRowShapeCount> kShapes{{
    {RowShape::token_ids, "token_ids", {"input_ids", "input_ids"}},
    {RowShape::messages, "messages", {"messages", "messages"}},
    {RowShape::conversations, "conversations", {"conversations", "conversations"}},
    {RowShape::prompt_completion, "prompt_completion", {"prompt", "completion"}},
    {RowShape::prompt_response, "prompt_response", {"prompt", "response"}},
    {RowShape::instruction, "instruction", {"instruction", "output"}},
    {RowShape::text, "text", {"text", "text"}},
}};

// Of prompts. Those of the shapes above that a row has whole go before these.
constexpr std::array<ShapeFields, 3> kPromptShapes{{
    {RowShape::token_ids, "token_ids", {"prompt_ids", "prompt_ids"}},
    {RowShape::prompt_response, "prompt_response", {"prompt", "prompt"}},
    {RowShape::instruction, "instruction", {"instruction", "instruction"}},
}};

}  // namespace

const char* row_shape_name(RowShape shape) {
  return std::ranges::find(kShapes, shape, &ShapeFields::shape)->name;
}

std::string row_shape_names() {
  std::vector<std::string_view> names;
  names.reserve(kRowShapeCount);
  for (int shape = 0; shape < kRowShapeCount; ++shape) names.emplace_back(row_shape_name(static_cast<RowShape>(shape)));
  return format("{}", join(names, ", "));
}

RowShape parse_row_shape(std::string_view name) {
  for (const ShapeFields& shape : kShapes) {
    if (shape.name == name) return shape.shape;
  }
  throw Error(ErrorKind::config, format("'{}' is no shape of rows; there are {}", name, row_shape_names()));
}

std::vector<RowShape> shapes_of(const JsonRow& row, RowUse use) {
  std::vector<RowShape> shapes, with_nulls;
  const auto look_for = [&](const ShapeFields& shape) {
    const auto& [first, second] = shape.fields;
    if (!row.has(first) || !row.has(second)) return;
    (row.is_null(first) || row.is_null(second) ? with_nulls : shapes).push_back(shape.shape);
  };
  if (use == RowUse::prompts) look_for(kPromptShapes.front());
  std::ranges::for_each(kShapes, look_for);
  if (use == RowUse::prompts) std::for_each(kPromptShapes.begin() + 1, kPromptShapes.end(), look_for);
  shapes.insert(shapes.end(), with_nulls.begin(), with_nulls.end());
  return shapes;
}

}  // namespace dflash
