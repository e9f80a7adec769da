// Copies, conversions, constants and ranges.
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/loop/elementwise.h"
#include "kernels/cuda/loop/turn.h"
#include "kernels/functors/convert.h"
#include "kernels/items.h"

namespace garboard::kernels::cuda {
namespace {

/// Without a change of dtype only the size of an element counts.
struct Same {
  template <class T>
  GARBOARD_HD T operator()(T x) const {
    return x;
  }
};

/// Whether it was done that way: where `x` lies across `out`, and one launch can count it.
bool turn_around(const View& out, const View& x, Stream stream) {
  const NestPart nest = nest_over({&out, &x});
  const int across = dim_across(nest, 1);
  if (across < 0 || nest.count() > most_elements) return false;
  turn(turn_of(nest, across), out.data, x.data, item_size(out.dtype), stream);
  return true;
}

void move(const View& out, const View& x, Stream stream) {
  if (turn_around(out, x, stream)) return;
  visit_item(item_size(out.dtype),
             [&]<class Item>(Type<Item>) { run<Same, Item>(stream, out, x); });
}

template <class T, class Number>
__global__ void count_up(T* out, std::int64_t count, Number start, Number step) {
  const std::int64_t tile = blockIdx.x * strided_tile + threadIdx.x;
  for (int k = 0; k < strided_in_flight; ++k) {
    const std::int64_t i = tile + k * threads;
    if (i < count) out[i] = functors::Convert<T>{}(start + static_cast<Number>(i) * step);
  }
}

void count(const View& out, Scalar start, Scalar step, Stream stream) {
  if (out.count == 0) return;
  const bool is_whole = start.is_whole() && step.is_whole();
  const Grid grid{divided_up(out.count, strided_tile), stream};
  visit_dtype(out.dtype, [&]<class T>(Type<T>) {
    if (is_whole && !functors::Floating<T>)
      launch(count_up<T, std::int64_t>, grid, out.as<T>(), out.count, start.integer, step.integer);
    else
      launch(count_up<T, double>, grid, out.as<T>(), out.count, start.real, step.real);
  });
}

}  // namespace

// Transfers between devices, or with the host, come here too: dense, and of one dtype.
template <>
void kernel(const Copy& of, Stream stream) {
  const View& out = of.out;
  const View& x = of.x;
  if (out.count == 0) return;
  if (out.dtype == x.dtype) {
    const bool is_flat = out.contiguous && x.contiguous && out.count == x.count;
    if (!is_flat) return move(out, x, stream);
    if (out.data != x.data) copy_bytes(out.data, x.data, out.count * item_size(out.dtype), stream);
    return;
  }
  visit_dtype(out.dtype, [&]<class To>(Type<To>) {
    visit_dtype(x.dtype, [&]<class From>(Type<From>) {
      if constexpr (!std::is_same_v<To, From>) run<functors::Convert<To>, From>(stream, out, x);
    });
  });
}

template <>
void kernel(const Fill& of, Stream stream) {
  const View& out = of.out;
  visit_dtype(out.dtype, [&]<class T>(Type<T>) {
    T element = of.value.to<T>();
    move(out, View{.data = &element, .dtype = out.dtype, .sizes = {}, .strides = {}}, stream);
  });
}

template <>
void kernel(const Arange& of, Stream stream) {
  count(of.out, of.start, of.step, stream);
}

}  // namespace garboard::kernels::cuda
