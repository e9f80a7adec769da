// What a discrete Fourier transform of one size is made of: the factors of the size, and roots of
// unity, computed in double and rounded once. The same for all instruction sets.
#pragma once

#include <cstdint>

namespace garboard::kernels {

/// Powers of e^(-2 pi i / size), each a product of two, of which few are kept: the fine ones, and
/// every `1 << shift`-th. Pairs of a real and an imaginary part.
template <class T>
struct RootsOfUnity {
  const T* coarse;
  const T* fine;
  int shift;
};

enum class FourierWay : std::uint8_t {
  steps,  // all at once, a factor of the size each step
  apart,  // as a matrix: along its columns, then along its rows
  chirp,  // as a convolution, whose size is a power of two
};

/// Of `size` complex numbers.
template <class T>
struct FourierPlan {
  std::int64_t size;
  FourierWay way;

  // By steps: the factors, each with what its results are turned by, (factor - 1) pairs for each of
  // the places that are left, but not behind the last; and for factors without formulas of their
  // own all roots of unity of that size, one list behind the other.
  int step_count;
  const std::int32_t* factors;
  const T* turns;
  const T* roots_of_factors;

  // Apart: plans by steps, whose sizes have the product, and the roots of all.
  const FourierPlan* column;
  const FourierPlan* row;
  RootsOfUnity<T> roots;

  // By a convolution (Bluestein, 1970): e^(-pi i k^2 / size) for each place, and what a chirp of
  // the other direction becomes, divided by the number of its elements.
  const FourierPlan* inner;
  const T* chirp;
  const T* spectrum;
};

/// Factors up to this one are steps of their own; a size with a larger one is a convolution.
inline constexpr std::int64_t largest_fourier_factor = 251;
/// Complex numbers of so many bytes, once for each lane of a vector, still fit the second cache.
inline constexpr std::int64_t longest_stepped_bytes = 1 << 14;

/// A plan that is kept while the handle lives. The last ones stay, as far as they are small: they
/// take 1 MiB in all at most. Throws std::bad_alloc.
template <class T>
class KeptFourierPlan {
 public:
  /// `apart`: where the size can be a matrix, it shall be, though steps would do. Of many
  /// transforms of a moderate size vectors take one lane each; one alone fills them by its columns.
  KeptFourierPlan(std::int64_t size, bool apart);
  ~KeptFourierPlan();
  KeptFourierPlan(const KeptFourierPlan&) = delete;
  KeptFourierPlan& operator=(const KeptFourierPlan&) = delete;

  const FourierPlan<T>& operator*() const { return *plan_; }
  const FourierPlan<T>* operator->() const { return plan_; }

 private:
  void* owner_;
  const FourierPlan<T>* plan_;
};

/// The roots alone, likewise.
template <class T>
class KeptRoots {
 public:
  explicit KeptRoots(std::int64_t size);
  ~KeptRoots();
  KeptRoots(const KeptRoots&) = delete;
  KeptRoots& operator=(const KeptRoots&) = delete;

  const RootsOfUnity<T>& operator*() const { return roots_; }

 private:
  void* owner_;
  RootsOfUnity<T> roots_;
};

}  // namespace garboard::kernels
