#include "csrc/ops/create/triangles.h"

#include <algorithm>
#include <numeric>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/devices/devices.h"

namespace garboard {
namespace {

/// How many elements at the begin of each row lie left of a diagonal.
struct Left {
  __int128 columns, above;

  std::int64_t of(__int128 row) const {
    return static_cast<std::int64_t>(std::clamp<__int128>(row + above, 0, columns));
  }

  /// Those of all `rows`: none, one more each, then all.
  __int128 of_all(__int128 rows) const {
    const __int128 first = std::clamp<__int128>(-above, 0, rows),
                   full = std::clamp<__int128>(columns - above, first, rows),
                   slanted = full - first;
    return slanted * of(first) + slanted * (slanted - 1) / 2 + (rows - full) * columns;
  }
};

}  // namespace

Tensor triangle_places(const char* op, bool is_upper, std::int64_t rows, std::int64_t columns,
                       std::int64_t above, DType dtype, Device device) {
  if (rows < 0 || columns < 0)
    throw ShapeError(text(op, ": ", rows < 0 ? "row " : "col ", std::min(rows, columns),
                          "; 0 or more is needed"));
  // Beyond the matrix's corners nothing changes.
  const Left left{columns, __int128{std::clamp(above, -rows, columns)} + !is_upper};
  const __int128 before = left.of_all(rows), all = __int128{rows} * columns,
                 count = is_upper ? all - before : before;
  if (count >> 62)
    throw ShapeError(text(op, ": a triangle of ", rows, " x ", columns,
                          " elements; no device holds their places"));
  const Dims sizes{2, static_cast<std::int64_t>(count)};
  if (!computes(device)) return empty(sizes, dtype, device, op);
  const Tensor places = empty(sizes, DType::int64, {}, op);
  auto* row_of = static_cast<std::int64_t*>(places.data());
  auto* column_of = row_of + places.size(1);
  for (std::int64_t row = 0; row < rows && places.size(1) > 0; ++row) {
    const std::int64_t first = is_upper ? left.of(row) : 0,
                       length = (is_upper ? columns : left.of(row)) - first;
    row_of = std::fill_n(row_of, length, row);
    std::iota(column_of, column_of + length, first);
    column_of += length;
  }
  return to(to(places, dtype), device);
}

}  // namespace garboard
