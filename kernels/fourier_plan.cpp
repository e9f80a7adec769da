#include "kernels/fourier_plan.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <list>
#include <memory>
#include <mutex>
#include <numbers>
#include <vector>

namespace garboard::kernels {
namespace {

/// e^(-2 pi i k / size), from an angle of at most an eighth of the circle.
std::complex<double> root(std::int64_t k, std::int64_t size) {
  std::int64_t at = 8 * (k % size);  // in parts of an eighth
  const std::int64_t eighth = at / size;
  at -= eighth * size;
  const bool is_mirrored = eighth % 2;
  const double angle = std::numbers::pi / 4 / static_cast<double>(size) *
                       static_cast<double>(is_mirrored ? size - at : at);
  double x = std::cos(angle), y = std::sin(angle);
  if (is_mirrored) std::swap(x, y);
  switch (eighth / 2) {
    case 0:
      return {x, -y};
    case 1:
      return {-y, -x};
    case 2:
      return {-x, y};
    default:
      return {y, x};
  }
}

template <class T>
void append(std::vector<T>& to, std::complex<double> z) {
  to.push_back(static_cast<T>(z.real()));
  to.push_back(static_cast<T>(z.imag()));
}

/// The factors that steps take, or none where a prime is too large.
std::vector<std::int32_t> factors_of(std::int64_t size) {
  std::vector<std::int32_t> factors;
  const auto take = [&](std::int32_t factor) {
    for (; size % factor == 0; size /= factor) factors.push_back(factor);
  };
  take(8);
  take(4);
  take(2);
  take(5);
  take(3);
  for (std::int32_t factor = 7; factor <= largest_fourier_factor; factor += 2) take(factor);
  if (size > 1) return {};
  return factors;
}

/// The divisor that is nearest to the root, from below; 1 for none.
std::int64_t middle_divisor(std::int64_t size) {
  auto divisor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(size)));
  while (size % divisor != 0) --divisor;
  return divisor;
}

template <class T>
struct RootsOwner {
  std::int64_t size;
  std::vector<T> coarse, fine;
  RootsOfUnity<T> roots{};

  explicit RootsOwner(std::int64_t of) : size(of) {
    while (std::int64_t{1} << (2 * roots.shift) < size) ++roots.shift;
    const std::int64_t step = std::int64_t{1} << roots.shift;
    for (std::int64_t k = 0; k < step; ++k) append(fine, root(k, size));
    for (std::int64_t k = 0; k < size; k += step) append(coarse, root(k, size));
    roots.coarse = coarse.data();
    roots.fine = fine.data();
  }
  std::int64_t bytes() const { return (coarse.size() + fine.size()) * sizeof(T); }
};

/// In double, of a power of two, in place: for what is made once of a plan.
void transform(std::vector<std::complex<double>>& x) {
  const std::size_t size = x.size();
  for (std::size_t i = 1, j = 0; i < size; ++i) {
    std::size_t bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<std::complex<double>> roots(size / 2 + 1);
  for (std::size_t k = 0; k < size / 2; ++k)
    roots[k] = root(static_cast<std::int64_t>(k), static_cast<std::int64_t>(size));
  for (std::size_t half = 1; half < size; half *= 2) {
    for (std::size_t first = 0; first < size; first += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> a = x[first + k];
        const std::complex<double> b = x[first + k + half] * roots[k * (size / 2 / half)];
        x[first + k] = a + b;
        x[first + k + half] = a - b;
      }
    }
  }
}

template <class T>
struct PlanOwner {
  std::int64_t size;
  bool is_apart;
  FourierPlan<T> plan{};
  std::vector<std::int32_t> factors;
  std::vector<T> turns, roots_of_factors, chirp, spectrum;
  std::unique_ptr<RootsOwner<T>> roots;
  std::unique_ptr<PlanOwner> column, row, inner;

  PlanOwner(std::int64_t of, bool apart) : PlanOwner(of) {
    is_apart = apart;
    constexpr std::int64_t longest = longest_stepped_bytes / (2 * sizeof(T));
    if (factors.empty() && size > 1)
      convolve();
    else if (const auto rows = apart || size > longest ? middle_divisor(size) : 1; rows > 1)
      split(rows);
    else
      step();
  }
  explicit PlanOwner(std::int64_t of) : size(of), is_apart(false), factors(factors_of(of)) {
    plan.size = size;
  }
  static std::unique_ptr<PlanOwner> stepped(std::int64_t size) {
    auto made = std::make_unique<PlanOwner>(size);
    made->step();
    return made;
  }

  void step() {
    plan.way = FourierWay::steps;
    plan.step_count = static_cast<int>(factors.size());
    std::int64_t left = size;
    for (const std::int32_t factor : factors) {
      const std::int64_t places = left / factor;
      for (std::int64_t p = 0; p < places && places > 1; ++p)
        for (std::int32_t k = 1; k < factor; ++k) append(turns, root(p * k, left));
      left = places;
      for (std::int32_t k = 0; k < factor && factor > 5 && factor != 8; ++k)
        append(roots_of_factors, root(k, factor));
    }
    plan.factors = factors.data();
    plan.turns = turns.data();
    plan.roots_of_factors = roots_of_factors.data();
  }
  void split(std::int64_t rows) {
    plan.way = FourierWay::apart;
    column = stepped(rows);
    row = stepped(size / rows);
    roots = std::make_unique<RootsOwner<T>>(size);
    plan.column = &column->plan;
    plan.row = &row->plan;
    plan.roots = roots->roots;
  }
  void convolve() {
    plan.way = FourierWay::chirp;
    std::int64_t count = 1;
    while (count < 2 * size - 1) count *= 2;
    inner = std::make_unique<PlanOwner>(count, true);
    std::vector<std::complex<double>> other(static_cast<std::size_t>(count));
    std::int64_t square = 0;  // k^2, in 2 size
    for (std::int64_t k = 0; k < size; ++k) {
      const std::complex<double> z = root(square, 2 * size);
      append(chirp, z);
      other[k] = other[(count - k) % count] = std::conj(z) / static_cast<double>(count);
      square = (square + 2 * k + 1) % (2 * size);
    }
    transform(other);
    for (const auto z : other) append(spectrum, z);
    plan.inner = &inner->plan;
    plan.chirp = chirp.data();
    plan.spectrum = spectrum.data();
  }

  std::int64_t bytes() const {
    const std::size_t own = turns.size() + roots_of_factors.size() + chirp.size() + spectrum.size();
    std::int64_t all = static_cast<std::int64_t>(own * sizeof(T)) + (roots ? roots->bytes() : 0);
    for (const auto* part : {column.get(), row.get(), inner.get()}) all += part ? part->bytes() : 0;
    return all;
  }
};

/// The last ones that were made, the latest first. Nobody waits for the list: what another thread
/// has in hand, which a forked process never gets back, is done without.
template <class Owner>
class Latest {
 public:
  template <class IsIt, class Make>
  std::shared_ptr<Owner> find(IsIt is_it, Make make) {
    if (const std::unique_lock lock(mutex_, std::try_to_lock); lock) {
      for (auto it = kept_.begin(); it != kept_.end(); ++it) {
        if (!is_it(**it)) continue;
        kept_.splice(kept_.begin(), kept_, it);
        return kept_.front();
      }
    }
    std::shared_ptr<Owner> made = make();
    if (made->bytes() <= most_bytes / 2) keep(made);
    return made;
  }

 private:
  void keep(const std::shared_ptr<Owner>& made) {
    std::list<std::shared_ptr<Owner>> added{made}, gone;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    kept_.splice(kept_.begin(), added);
    bytes_ += made->bytes();
    while (bytes_ > most_bytes || kept_.size() > most) {
      bytes_ -= kept_.back()->bytes();
      gone.splice(gone.end(), kept_, std::prev(kept_.end()));
    }
  }

  static constexpr std::int64_t most_bytes = 1 << 18;  // of each of four
  static constexpr std::size_t most = 32;

  std::mutex mutex_;
  std::list<std::shared_ptr<Owner>> kept_;
  std::int64_t bytes_ = 0;
};

template <class Owner>
Latest<Owner>& latest() {
  static auto& it = *new Latest<Owner>;  // leaked: other threads may still transform at exit
  return it;
}

template <class Owner>
using KeptOwner = std::shared_ptr<Owner>;

}  // namespace

template <class T>
KeptFourierPlan<T>::KeptFourierPlan(std::int64_t size, bool apart) {
  using Owner = PlanOwner<T>;
  auto found =
      latest<Owner>().find([&](const Owner& it) { return it.size == size && it.is_apart == apart; },
                           [&] { return std::make_shared<Owner>(size, apart); });
  plan_ = &found->plan;
  owner_ = new KeptOwner<Owner>(std::move(found));
}
template <class T>
KeptFourierPlan<T>::~KeptFourierPlan() {
  delete static_cast<KeptOwner<PlanOwner<T>>*>(owner_);
}

template <class T>
KeptRoots<T>::KeptRoots(std::int64_t size) {
  using Owner = RootsOwner<T>;
  auto found = latest<Owner>().find([&](const Owner& it) { return it.size == size; },
                                    [&] { return std::make_shared<Owner>(size); });
  roots_ = found->roots;
  owner_ = new KeptOwner<Owner>(std::move(found));
}
template <class T>
KeptRoots<T>::~KeptRoots() {
  delete static_cast<KeptOwner<RootsOwner<T>>*>(owner_);
}

template class KeptFourierPlan<float>;
template class KeptFourierPlan<double>;
template class KeptRoots<float>;
template class KeptRoots<double>;

}  // namespace garboard::kernels
