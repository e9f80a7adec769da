#include <gtest/gtest.h>

#include "kernels/cuda/launch/parts.h"
#include "tests/support/close_arrays.h"

namespace garboard::kernels::cuda {
namespace {

using shim::DeviceArray;
using shim::expect_close;
using shim::normal_numbers;

enum class Masked { no, by_bools, by_numbers };

struct Form {
  std::int64_t batch, heads, shared_heads, rows, columns, depth, values;
  bool is_causal = false;
  Masked masked = Masked::no;
  double keep = 1;

  Dims q() const { return {batch, heads, rows, depth}; }
  Dims k() const { return {batch, shared_heads, columns, depth}; }
  Dims v() const { return {batch, shared_heads, columns, values}; }
  Dims out() const { return {batch, heads, rows, values}; }
  Dims mask() const { return {batch, heads, rows, columns}; }
};

std::vector<Form> forms() {
  return {{2, 3, 3, 5, 7, 4, 6},
          {1, 2, 2, 100, 70, 33, 40},
          {1, 4, 2, 67, 67, 8, 8, true},
          {1, 1, 1, 40, 130, 3, 150, true},
          {1, 1, 1, 130, 40, 150, 3, true},
          {2, 4, 1, 35, 66, 5, 3, false, Masked::by_bools},
          {1, 2, 2, 35, 66, 5, 3, false, Masked::by_numbers},
          {1, 2, 1, 33, 71, 5, 3, true, Masked::no, 0.7},
          {1, 1, 1, 3, 2, 0, 5},
          {1, 1, 1, 3, 0, 2, 5},
          {1, 1, 1, 3, 2, 2, 0}};
}

/// What attention and its gradient read and write; `rows` are apart in memory where it says so.
template <class T>
struct Call {
  explicit Call(const Form& form, bool is_apart = false)
      : form(form),
        gap(is_apart ? 3 : 0),
        q(apart(form.q(), 1)),
        k(apart(form.k(), 2)),
        v(apart(form.v(), 3)),
        out(form.out().product()),
        log_sums(form.batch * form.heads * form.rows),
        numbers(normal_numbers<T>(form.mask().product(), 4)),
        bools(form.mask().product()),
        d_out(apart(form.out(), 5)),
        d_q(form.q().product()),
        d_k(form.k().product()),
        d_v(form.v().product()) {
    for (std::int64_t i = 0; i < bools.count(); ++i) {
      const std::int64_t row = i / std::max<std::int64_t>(form.columns, 1) % form.rows;
      bools.set(i, i % 3 != 0 && row != 2);  // of which row 2 sees nothing
      if (row == 2) numbers.set(i, -functors::infinity<T>);
    }
  }

  Attention forward() const {
    Attention of{};
    of.out = out.view(form.out());
    of.log_sums = log_sums.view({form.batch, form.heads, form.rows});
    of.q = spread(q, form.q());
    of.k = spread(k, form.k());
    of.v = spread(v, form.v());
    // One mask for all heads of a batch, and columns that lie apart.
    const Dims strides{form.rows * form.columns, 0, 1, form.rows};
    if (form.masked == Masked::by_bools) of.mask = bools.view(form.mask(), strides, 0);
    if (form.masked == Masked::by_numbers) of.mask = numbers.view(form.mask());
    of.scale = 0.4;
    of.is_causal = form.is_causal;
    of.keep = form.keep;
    of.numbers = {11, 5};
    return of;
  }
  template <class Run>
  void backward(Run run) const {
    const Attention of = forward();
    run(AttentionGradient{d_q.view(form.q()), d_k.view(form.k()), d_v.view(form.v()),
                          spread(d_out, form.out()), of});
  }

  const Form& form;
  std::int64_t gap;  // elements between rows
  DeviceArray<T> q, k, v, out, log_sums, numbers;
  DeviceArray<bool> bools;
  DeviceArray<T> d_out, d_q, d_k, d_v;

 private:
  DeviceArray<T> apart(const Dims& sizes, unsigned seed) const {
    return normal_numbers<T>(sizes[0] * sizes[1] * sizes[2] * (sizes[3] + gap), seed);
  }
  View spread(const DeviceArray<T>& array, const Dims& sizes) const {
    Dims whole = sizes;
    whole[3] += gap;
    return array.view(sizes, contiguous_strides(whole), 0);
  }
};

template <class T>
class AttentionOnCuda : public testing::Test {
 protected:
  static constexpr double units = 2048;

  void expect_same(const Form& form, bool is_apart) {
    const Call<T> found(form, is_apart), expected(form, is_apart);

    kernel(found.forward(), Stream{});
    cpu_table().run(expected.forward(), Stream{});
    expect_close(found.out, expected.out, units);
    expect_close(found.log_sums, expected.log_sums, units);
    found.backward([](const auto& call) { kernel(call, Stream{}); });
    expected.backward([](const auto& call) { cpu_table().run(call, Stream{}); });

    expect_close(found.d_q, expected.d_q, units);
    expect_close(found.d_k, expected.d_k, units);
    expect_close(found.d_v, expected.d_v, units);
  }
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(AttentionOnCuda, Numbers);

TYPED_TEST(AttentionOnCuda, GivesWhatTheCpuGives) {
  for (const Form& form : forms()) {
    SCOPED_TRACE(testing::Message() << form.q() << form.k() << form.v());
    this->expect_same(form, false);
  }
}

TYPED_TEST(AttentionOnCuda, TakesRowsThatLieApart) {
  for (const Form& form : {forms()[0], forms()[2], forms()[5]}) this->expect_same(form, true);
}

TYPED_TEST(AttentionOnCuda, SpreadsNaN) {
  Form form = forms()[0];
  Call<TypeParam> found(form), expected(form);
  found.q.set(9, functors::not_a_number<TypeParam>);
  expected.q.set(9, functors::not_a_number<TypeParam>);

  kernel(found.forward(), Stream{});

  cpu_table().run(expected.forward(), Stream{});
  expect_close(found.out, expected.out, this->units);
}

TYPED_TEST(AttentionOnCuda, OfNothingStartsNothing) {
  for (const Form& form : {Form{0, 2, 2, 3, 3, 4, 4}, Form{1, 0, 1, 3, 3, 4, 4}}) {
    const Call<TypeParam> call(form);
    const std::int64_t before = shim::launches;

    kernel(call.forward(), Stream{});

    EXPECT_EQ(shim::launches, before);
  }
}

TYPED_TEST(AttentionOnCuda, OfNoRowsTheGradientsAreZero) {
  const Form form{1, 2, 1, 0, 5, 3, 4};
  const Call<TypeParam> call(form);

  kernel(call.forward(), Stream{});
  call.backward([](const auto& given) { kernel(given, Stream{}); });

  EXPECT_EQ(call.d_k.values(), std::vector<TypeParam>(15, 0));
  EXPECT_EQ(call.d_v.values(), std::vector<TypeParam>(20, 0));
}

TYPED_TEST(AttentionOnCuda, GivesItsScratchBack) {
  const Form form = forms().front();
  const Call<TypeParam> call(form);
  const auto before = shim::DeviceMemory::live_count();

  kernel(call.forward(), Stream{});
  call.backward([](const auto& given) { kernel(given, Stream{}); });

  EXPECT_EQ(shim::DeviceMemory::live_count(), before);
}

}  // namespace
}  // namespace garboard::kernels::cuda
