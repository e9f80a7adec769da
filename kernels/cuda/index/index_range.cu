// The least and the largest of an index. The host has to know them, so it waits.
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/reduce/reduce.h"
#include "kernels/index_arguments.h"

namespace garboard::kernels::cuda {
namespace {

struct Extent {
  IndexRange::Range range;

  GARBOARD_HD static Extent none() { return {{INT64_MAX, INT64_MIN}}; }
  GARBOARD_HD void take(std::int64_t given, std::int64_t) { merge({{given, given}}); }
  GARBOARD_HD void merge(const Extent& other) {
    if (other.range.least < range.least) range.least = other.range.least;
    if (other.range.largest > range.largest) range.largest = other.range.largest;
  }
};

struct ExtentResult {
  IndexRange::Range* data;

  GARBOARD_HD void write(const std::int64_t*, const Extent& all) const { *data = all.range; }
  ExtentResult moved(const std::int64_t*) const { return *this; }
};

}  // namespace

template <>
IndexRange::Range kernel(const IndexRange& of, Stream stream) {
  if (of.index.count == 0) return of.idle_result;
  const Scratch scratch(sizeof(IndexRange::Range), stream);
  auto* const range = scratch.as<IndexRange::Range>();
  const ReduceNests reduction({&of.index}, [](int) { return true; });
  launch_reductions<Extent, 1>(reduction, stream, of.index.as<std::int64_t>(), ExtentResult{range});
  IndexRange::Range found;
  copy_bytes(&found, range, sizeof found, stream);
  return found;
}

}  // namespace garboard::kernels::cuda
