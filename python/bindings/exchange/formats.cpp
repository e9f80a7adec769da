#include "python/bindings/exchange/formats.h"

#include "csrc/core/error.h"

namespace garboard::python {
namespace {

template <class T>
constexpr const char* format_code = "";
template <>
constexpr const char* format_code<bool> = "?";
template <>
constexpr const char* format_code<std::uint8_t> = "B";
template <>
constexpr const char* format_code<std::int8_t> = "b";
template <>
constexpr const char* format_code<std::int16_t> = "h";
template <>
constexpr const char* format_code<std::int32_t> = "i";
template <>
constexpr const char* format_code<std::int64_t> = sizeof(long) == 8 ? "l" : "q";  // as NumPy's
template <>
constexpr const char* format_code<Float16> = "e";
template <>
constexpr const char* format_code<float> = "f";
template <>
constexpr const char* format_code<double> = "d";
template <>
constexpr const char* format_code<Complex<float>> = "Zf";
template <>
constexpr const char* format_code<Complex<double>> = "Zd";

}  // namespace

const char* format_of(DType dtype) {
  return visit_dtype(dtype, []<class T>(Type<T>) { return format_code<T>; });
}

std::optional<DType> dtype_of_format(std::string_view format, Py_ssize_t bytes) {
  if (format.starts_with('@') || format.starts_with('=') ||
      (format.starts_with('<') && format.size() > 1))
    format.remove_prefix(1);
  if (format == "l" || format == "q") format = bytes == 4 ? "i" : format_of(DType::int64);
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!format.empty() && format == format_of(dtype)) return dtype;
  }
  return std::nullopt;
}

std::string names_of_formats() {
  std::string names;
  for (int i = dtype_count - 1; i >= 0; --i) {
    const auto dtype = static_cast<DType>(i);
    if (!*format_of(dtype)) continue;
    const char* const between = names.empty()                      ? ""
                                : names.find(" or ") == names.npos ? " or "
                                                                   : ", ";
    names = text(name_of(dtype), between, names);
  }
  return names;
}

}  // namespace garboard::python
