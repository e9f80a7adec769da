#include "csrc/ops/shape/split.h"

#include <algorithm>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/core/interruption.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

int dim_to_cut(const char* op, const Tensor& input, std::int64_t dim) {
  if (input.ndim() == 0)
    throw ShapeError(text(op, ": a tensor without dims; at least one is needed"));
  return checked_dim(op, dim, input.ndim());
}

/// Each takes hundreds of bytes that no device's limit counts.
constexpr std::int64_t kMostPieces = 1 << 22;

/// What `piece(i)` gives, `count` times.
template <class Piece>
std::vector<Tensor> pieces_of(const char* op, const Tensor& input, std::int64_t count,
                              const Piece& piece) {
  if (count > kMostPieces)
    throw ShapeError(text(op, ": ", count, " pieces of sizes ", input.sizes(), "; at most ",
                          kMostPieces, " are made at once, take longer ones or slices"));
  std::vector<Tensor> pieces;
  pieces.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % 1024 == 1023) interruption_point();
    pieces.push_back(piece(i));
  }
  return pieces;
}

/// Pieces whose sizes `size_of(i)` gives.
template <class SizeOf>
std::vector<Tensor> cut(const char* op, const Tensor& input, int dim, std::int64_t count,
                        const SizeOf& size_of) {
  std::int64_t at = 0;
  return pieces_of(op, input, count, [&](std::int64_t i) {
    const std::int64_t size = size_of(i), start = at;
    at += size;
    return slice(input, dim, start, size, 1);
  });
}

/// Pieces of `size`, and what is left.
std::vector<Tensor> cut_evenly(const char* op, const Tensor& input, int dim, std::int64_t size) {
  const std::int64_t whole = input.size(dim);
  const std::int64_t count = std::max<std::int64_t>(whole / size + (whole % size != 0), 1);
  return cut(op, input, dim, count,
             [&](std::int64_t i) { return i + 1 < count ? size : whole - size * (count - 1); });
}

}  // namespace

std::vector<Tensor> split(const Tensor& input, std::int64_t size, std::int64_t given_dim) {
  const int dim = dim_to_cut("split", input, given_dim);
  if (size < 0 || (size == 0 && input.size(dim) != 0))
    throw ShapeError(text("split: pieces of ", size, " along dim ", dim, " of size ",
                          input.size(dim), "; 1 or more is needed"));
  return cut_evenly("split", input, dim, std::max<std::int64_t>(size, 1));
}

std::vector<Tensor> split_with_sizes(const char* op, const Tensor& input,
                                     const std::vector<std::int64_t>& sizes,
                                     std::int64_t given_dim) {
  const int dim = dim_to_cut(op, input, given_dim);
  const std::int64_t whole = input.size(dim);
  std::int64_t total = 0;
  bool fits = true;
  for (const std::int64_t size : sizes) {
    fits &= size >= 0 && size <= whole - total;
    if (!fits) break;
    total += size;
  }
  if (!fits || total != whole)
    throw ShapeError(text(op, ": sizes ", listed(sizes), " along dim ", dim,
                          "; they must add up to ", whole, ", and none may be negative"));
  return cut(op, input, dim, static_cast<std::int64_t>(sizes.size()),
             [&](std::int64_t i) { return sizes[static_cast<std::size_t>(i)]; });
}

std::vector<Tensor> chunk(const Tensor& input, std::int64_t count, std::int64_t given_dim) {
  const int dim = dim_to_cut("chunk", input, given_dim);
  if (count < 1) throw ShapeError(text("chunk: ", count, " pieces; 1 or more is needed"));
  const std::int64_t whole = input.size(dim);
  if (whole == 0) return cut("chunk", input, dim, count, [](std::int64_t) { return 0; });
  return cut_evenly("chunk", input, dim, whole / count + (whole % count != 0));
}

std::vector<Tensor> tensor_split(const char* op, const Tensor& input, std::int64_t count,
                                 std::int64_t given_dim) {
  const int dim = dim_to_cut(op, input, given_dim);
  if (count < 1) throw ShapeError(text(op, ": ", count, " pieces; 1 or more is needed"));
  const std::int64_t least = input.size(dim) / count, longer = input.size(dim) % count;
  return cut(op, input, dim, count, [&](std::int64_t i) { return least + (i < longer); });
}

std::vector<Tensor> tensor_split(const char* op, const Tensor& input,
                                 const std::vector<std::int64_t>& places, std::int64_t given_dim) {
  const int dim = dim_to_cut(op, input, given_dim);
  const std::int64_t whole = input.size(dim);
  const auto inside = [&](std::int64_t place) {
    return std::clamp<std::int64_t>(place < 0 ? place + whole : place, 0, whole);
  };
  const auto count = static_cast<std::int64_t>(places.size()) + 1;
  std::int64_t start = 0;
  return pieces_of(op, input, count, [&](std::int64_t i) {
    const std::int64_t end = i + 1 < count ? inside(places[static_cast<std::size_t>(i)]) : whole;
    const std::int64_t from = std::exchange(start, end);
    return slice(input, dim, from, std::max<std::int64_t>(end - from, 0), 1);
  });
}

std::vector<Tensor> unbind(const Tensor& input, std::int64_t given_dim) {
  const int dim = dim_to_cut("unbind", input, given_dim);
  return pieces_of("unbind", input, input.size(dim),
                   [&](std::int64_t i) { return select(input, dim, i); });
}

}  // namespace garboard
