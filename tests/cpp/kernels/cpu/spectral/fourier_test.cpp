#include <cmath>
#include <complex>
#include <numbers>

#include "tests/cpp/kernels/array.h"

namespace garboard::kernels {
namespace {

class FourierTest : public EachInstructionSet {};
INSTANTIATE_TEST_SUITE_P(, FourierTest, ::testing::ValuesIn(instruction_sets()), name_of);

using Number = std::complex<double>;

/// Parts of complex numbers along a last dim, as a view of complex numbers.
template <class T>
View complex_view(const Array<T>& parts) {
  const View x = parts.view();
  Dims sizes, strides;
  for (int d = 0; d + 1 < x.ndim(); ++d) {
    sizes.push_back(x.sizes[d]);
    strides.push_back(x.strides[d] / 2);
  }
  return make_view(x.data, complex_of(x.dtype), sizes, strides);
}

/// By the definition.
std::vector<Number> transformed(const std::vector<Number>& x, bool is_back) {
  const auto size = static_cast<std::int64_t>(x.size());
  std::vector<Number> roots, found;
  for (std::int64_t k = 0; k < size; ++k)
    roots.push_back(std::polar(1.0, (is_back ? 2 : -2) * std::numbers::pi * k / size));
  for (std::int64_t k = 0; k < size; ++k) {
    Number sum = 0;
    for (std::int64_t j = 0; j < size; ++j) sum += x[j] * roots[j * k % size];
    found.push_back(sum);
  }
  return found;
}

/// Signals of `size` in dim 1, of two parts each.
template <class T>
std::vector<Number> signal(const Array<T>& parts, std::int64_t line, std::int64_t size) {
  std::vector<Number> found;
  for (std::int64_t k = 0; k < size; ++k)
    found.push_back({parts[2 * (line * size + k)], parts[2 * (line * size + k) + 1]});
  return found;
}

template <class T>
void expect_near(const Array<T>& parts, std::int64_t line, const std::vector<Number>& expected,
                 std::int64_t size) {
  const double room = 4 * std::numeric_limits<T>::epsilon() * std::sqrt(expected.size()) * 9;
  const std::vector<Number> found = signal(parts, line, size);
  for (std::int64_t k = 0; k < size; ++k)
    ASSERT_NEAR(std::abs(found[k] - expected[k]), 0, room) << expected.size() << " at " << k;
}

constexpr std::int64_t sizes[] = {1,  2,  3,  4,   5,   6,   7,   8,   9,   10,  12,  15,   16,
                                  30, 49, 64, 121, 127, 251, 256, 257, 384, 510, 514, 1200, 2304};

TEST_P(FourierTest, ComplexNumbersAreTransformedThereAndBack) {
  const auto check = [&]<class T>(Type<T>) {
    for (const std::int64_t size : sizes) {
      for (const std::int64_t lines : {1, 5, 18}) {
        const auto x = Array<T>::random({lines, size, 2}, -1, 1, 1);
        const Array<T> y(x.sizes());
        for (const bool is_back : {false, true}) {
          table.run(FourierTransform{complex_view(y), complex_view(x), 1, is_back, 0.5}, {});

          for (std::int64_t line = 0; line < lines; line += 4) {
            auto expected = transformed(signal(x, line, size), is_back);
            for (Number& z : expected) z *= 0.5;
            expect_near(y, line, expected, size);
          }
        }
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(FourierTest, RealNumbersAreTransformedToHalvesAndBack) {
  const auto check = [&]<class T>(Type<T>) {
    for (const std::int64_t size : sizes) {
      for (const std::int64_t lines : {1, 5, 18}) {
        const auto x = Array<T>::random({lines, size}, -1, 1, 1);
        const std::int64_t half = size / 2 + 1;
        const Array<T> y({lines, half, 2}), back(x.sizes());

        table.run(FourierTransform{complex_view(y), x.view(), 1, false, 1}, {});
        for (std::int64_t line = 0; line < lines; line += 4) {
          std::vector<Number> given;
          for (std::int64_t k = 0; k < size; ++k) given.push_back(x[line * size + k]);
          expect_near(y, line, transformed(given, false), half);
        }
        for (std::int64_t line = 0; line < lines; ++line) y[2 * line * half + 1] = 9;  // nobody's
        table.run(FourierTransform{back.view(), complex_view(y), 1, true, 1.0 / size}, {});

        for (std::int64_t i = 0; i < x.count(); ++i)
          ASSERT_NEAR(back[i], x[i], 20 * std::numeric_limits<T>::epsilon()) << size << " at " << i;
      }
    }
  };
  check(Type<float>{});
  check(Type<double>{});
}

TEST_P(FourierTest, AnyDimOfAnyStridesIsTransformedInPlaceToo) {
  for (const std::int64_t size : {6, 16, 257, 1024}) {
    const auto x = Array<float>::random({size, 19, 2}, -1, 1, 3);
    const auto turned = x.dense().transposed(0, 1);
    const Array<float> y({19, size, 2});

    table.run(FourierTransform{complex_view(y), complex_view(turned), 1, false, 1}, {});
    table.run(FourierTransform{complex_view(x), complex_view(x), 0, false, 1}, {});

    for (std::int64_t line = 0; line < 19; ++line) {
      for (std::int64_t k = 0; k < 2 * size; ++k) {
        const float there = x[(k / 2 * 19 + line) * 2 + k % 2];
        ASSERT_NEAR(y[line * 2 * size + k], there, 1e-5 * size) << size << " at " << k;
      }
    }
  }
}

}  // namespace
}  // namespace garboard::kernels
