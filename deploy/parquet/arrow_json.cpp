#include "deploy/parquet/arrow_json.h"

#include <arrow/api.h>

#include <type_traits>

#include "common/base/error.h"

namespace dflash {
namespace {

/// Chooses by the type of the array; what it leaves in `json` is the value.
class ValueVisitor {
 public:
  ValueVisitor(const arrow::Array& array, int64_t index) : array_(array), index_(index) {}

  arrow::Status Visit(const arrow::BooleanType& /*type*/) {
    json = as<arrow::BooleanArray>().Value(index_);
    return arrow::Status::OK();
  }
  template <typename Type>
    requires arrow::is_integer_type<Type>::value || std::is_same_v<Type, arrow::FloatType> ||
             std::is_same_v<Type, arrow::DoubleType>
  arrow::Status Visit(const Type& /*type*/) {
    json = as<typename arrow::TypeTraits<Type>::ArrayType>().Value(index_);
    return arrow::Status::OK();
  }
  template <typename Type>
    requires arrow::is_base_binary_type<Type>::value || std::is_same_v<Type, arrow::StringViewType>
  arrow::Status Visit(const Type& /*type*/) {
    json = std::string(as<typename arrow::TypeTraits<Type>::ArrayType>().GetView(index_));
    return arrow::Status::OK();
  }
  template <typename Type>
    requires std::is_same_v<Type, arrow::ListType> || std::is_same_v<Type, arrow::LargeListType> ||
             std::is_same_v<Type, arrow::FixedSizeListType>
  arrow::Status Visit(const Type& /*type*/) {
    const auto values = as<typename arrow::TypeTraits<Type>::ArrayType>().value_slice(index_);
    json = Json::array();
    for (int64_t i = 0; i < values->length(); ++i) json.push_back(arrow_json(*values, i));
    return arrow::Status::OK();
  }
  arrow::Status Visit(const arrow::StructType& type) {
    const auto& fields = as<arrow::StructArray>();
    json = Json::object();
    for (int i = 0; i < type.num_fields(); ++i) json[type.field(i)->name()] = arrow_json(*fields.field(i), index_);
    return arrow::Status::OK();
  }
  arrow::Status Visit(const arrow::MapType& /*type*/) {
    const auto& map = as<arrow::MapArray>();
    json = Json::object();
    for (int64_t i = map.value_offset(index_); i < map.value_offset(index_ + 1); ++i) {
      const Json key = arrow_json(*map.keys(), i);
      json[key.is_string() ? key.get<std::string>() : key.dump()] = arrow_json(*map.items(), i);
    }
    return arrow::Status::OK();
  }
  arrow::Status Visit(const arrow::DictionaryType& /*type*/) {
    const auto& words = as<arrow::DictionaryArray>();
    json = arrow_json(*words.dictionary(), words.GetValueIndex(index_));
    return arrow::Status::OK();
  }
  arrow::Status Visit(const arrow::DataType& /*type*/) {
    ARROW_ASSIGN_OR_RAISE(const auto scalar, array_.GetScalar(index_));
    json = scalar->ToString();
    return arrow::Status::OK();
  }

  Json json;

 private:
  template <typename ArrayType>
  const ArrayType& as() const {
    return static_cast<const ArrayType&>(array_);
  }

  const arrow::Array& array_;
  int64_t index_;
};

}  // namespace

Json arrow_json(const arrow::Array& array, int64_t index) {
  if (array.IsNull(index)) return nullptr;
  ValueVisitor visitor(array, index);
  const arrow::Status status = arrow::VisitTypeInline(*array.type(), &visitor);
  if (!status.ok()) throw Error(ErrorKind::input_file, status.ToString());
  return std::move(visitor.json);
}

}  // namespace dflash
