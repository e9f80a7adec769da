// Real numbers are transformed as half as many complex ones: the even places are the real parts,
// the odd ones the imaginary parts. What comes of each is told apart by its mirror image.
#pragma once

#include "kernels/cpu/spectral/one_signal.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// What places k and h - k of the transform of 2 h real numbers are, times 2, of those of the
/// halves' transform; `root` is that of k of 2 h.
template <class V, class T>
void part_halves(V& low_re, V& low_im, V& high_re, V& high_im, Complex<T> root) {
  const V even_re = low_re + high_re, even_im = low_im - high_im;
  const V odd_re = low_im + high_im, odd_im = high_re - low_re;
  const V turned_re = odd_re * root.real - odd_im * root.imaginary;
  const V turned_im = odd_re * root.imaginary + odd_im * root.real;
  low_re = even_re + turned_re;
  low_im = even_im + turned_im;
  high_re = even_re - turned_re;
  high_im = turned_im - even_im;
}

/// The way back: the halves' transform, times 2.
template <class V, class T>
void join_halves(V& low_re, V& low_im, V& high_re, V& high_im, Complex<T> root) {
  const V even_re = low_re + high_re, even_im = low_im - high_im;
  const V odd_re = low_re - high_re, odd_im = low_im + high_im;
  // i times the conjugate of the root
  const V turned_re = odd_re * root.imaginary - odd_im * root.real;
  const V turned_im = odd_re * root.real + odd_im * root.imaginary;
  low_re = even_re + turned_re;
  low_im = even_im + turned_im;
  high_re = even_re - turned_re;
  high_im = turned_im - even_im;
}

/// Lanes of the halves' transform, `size` of them and room for one more, become the first half of
/// the whole, times 2.
template <class T>
void part_all(ComplexLanes<T>* x, std::int64_t size, const RootsOfUnity<T>& roots) {
  x[size] = x[0];
  for (std::int64_t k = 0; 2 * k <= size; ++k) {
    ComplexLanes<T> low = x[k], high = x[size - k];
    part_halves(low.re, low.im, high.re, high.im, root_at(roots, k));
    x[size - k] = high;
    x[k] = low;
  }
}
/// The way back, of lanes whose real and imaginary parts stand for each other.
template <class T>
void join_all(ComplexLanes<T>* x, std::int64_t size, const RootsOfUnity<T>& roots) {
  x[0].re = x[size].re = LaneVector<T>{};
  for (std::int64_t k = 0; 2 * k <= size; ++k) {
    ComplexLanes<T> low = x[k], high = x[size - k];
    join_halves(low.im, low.re, high.im, high.re, root_at(roots, k));
    x[size - k] = high;
    x[k] = low;
  }
}

/// The same of one signal.
template <class T>
void part_pair(const Signal<T>& out, const Signal<const T>& x, std::int64_t k, std::int64_t size,
               const RootsOfUnity<T>& roots) {
  Complex<T> low = number_at(x, k), high = number_at(x, k ? size - k : 0);
  part_halves(low.real, low.imaginary, high.real, high.imaginary, root_at(roots, k));
  put_number(out, size - k, high);
  put_number(out, k, low);
}
template <class T>
void join_pair(const Signal<T>& out, const Signal<const T>& x, std::int64_t k, std::int64_t size,
               const RootsOfUnity<T>& roots) {
  Complex<T> low = number_at(x, k), high = number_at(x, size - k);
  if (k == 0) low.imaginary = high.imaginary = 0;
  join_halves(low.real, low.imaginary, high.real, high.imaginary, root_at(roots, k));
  if (k) put_number(out, size - k, high);
  put_number(out, k, low);
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
