// Complex numbers: made of parts, and taken apart.
#include "csrc/core/error.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/result_layout.h"
#include "csrc/ops/elementwise/transcendental.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/elementwise/docs.h"
#include "python/bindings/elementwise/forms.h"

namespace garboard::python {

namespace docs {

constexpr Arg complex_input{"input", "Complex tensor of any shape."};
constexpr const char* not_complex = "DTypeError: `input` is not complex.";
constexpr const char* unlike_parts =
    "DTypeError: The parts are of two dtypes, or neither float32 nor float64.\n"
    "ShapeError: The sizes do not broadcast, or there are nine dims already.\n"
    "DeviceError: The tensors are on two devices.";

constexpr Doc view_as_real{
    .summary = "Look at complex numbers as their parts, along a last dim of two.",
    .args = {complex_input},
    .returns =
        "A view of float32, or of float64 where `input` is complex128: writing into it "
        "writes into `input`.",
    .raises =
        "DTypeError: `input` is not complex.\n"
        "ShapeError: `input` has as many dims as a tensor can have.",
    .example =
        ">>> gb.view_as_real(gb.tensor([1 + 2j]))\n"
        "tensor([[1., 2.]])",
};
constexpr Doc view_as_complex{
    .summary = "Look at pairs of floats along the last dim as complex numbers.",
    .args = {{"input",
              "Tensor of float32 or float64 whose last dim has size 2 and stride 1; the other "
              "strides are even."}},
    .returns = "A view of complex64, or complex128: writing into it writes into `input`.",
    .raises =
        "DTypeError: `input` is neither float32 nor float64.\n"
        "ShapeError: The parts of a number do not lie side by side.",
    .example =
        ">>> gb.view_as_complex(gb.tensor([[1.0, 2.0]]))\n"
        "tensor([1.+2.j])",
};
constexpr Doc imag{
    .summary = "Look at the imaginary parts of complex numbers.",
    .args = {complex_input},
    .returns =
        "A view of float32, or of float64 where `input` is complex128: writing into it "
        "writes into `input`.",
    .raises = not_complex,
    .example =
        ">>> gb.imag(gb.tensor([1 + 2j]))\n"
        "tensor([2.])",
};
constexpr Doc real{
    .summary = "Look at the real parts of complex numbers.",
    .args = {complex_input},
    .returns = "A view; `input` itself where it is not complex.",
};
constexpr Doc conj{
    .summary = "Conjugate complex numbers.",
    .args = {complex_input},
    .returns = "A new tensor; `input` itself where it is not complex.",
};
constexpr Doc conj_physical{
    .summary = "Conjugate complex numbers: turn the sign of their imaginary parts.",
    .details = "Of real numbers it is a copy.",
    .args = {{"input", "Tensor of any shape."}},
    .returns = "A new tensor of `input`'s shape and dtype.",
    .example =
        ">>> gb.conj_physical(gb.tensor([1 + 2j]))\n"
        "tensor([1.-2.j])",
};
constexpr Doc conj_physical_{
    .summary = "Conjugate the numbers of this tensor, in place.",
    .args = {},
    .returns = itself,
    .raises =
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view "
        "of one.",
    .example =
        ">>> gb.tensor([1 + 2j]).conj_physical_()\n"
        "tensor([1.-2.j])",
};
constexpr Doc sgn{
    .summary = "Compute the direction of `input`: z / |z| of complex numbers, and 0 of 0.",
    .details = "Of real numbers it is their sign: -1, 0 or 1, and 0 of NaN.",
    .args = {{"input", "Tensor of any shape."}},
    .returns = "A new tensor of `input`'s shape and dtype.",
    .raises =
        "ShapeError: `out` has other sizes than `input`.\n"
        "DTypeError: The result's category is above that of `out`.",
    .example =
        ">>> gb.sgn(gb.tensor([3 + 4j, 0]))\n"
        "tensor([0.6000+0.8000j, 0.0000+0.0000j])",
};
constexpr Doc sgn_{
    .summary = "Replace each number by its direction, in place.",
    .args = {},
    .returns = itself,
    .raises =
        "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view "
        "of one.",
    .example =
        ">>> gb.tensor([-2.0, 3.0]).sgn_()\n"
        "tensor([-1.,  1.])",
};
constexpr Doc complex{
    .summary = "Make complex numbers of their parts.",
    .args = {{"real", "Tensor of float32 or float64."},
             {"imag", "Tensor of the same dtype, whose sizes broadcast with those of `real`."}},
    .returns = "A new tensor of the broadcast shape, complex64 or complex128.",
    .raises = unlike_parts,
    .example =
        ">>> gb.complex(gb.tensor([1.0, 2.0]), gb.tensor([0.5, -1.0]))\n"
        "tensor([1.+0.5000j, 2.-1.0000j])",
};
constexpr Doc polar{
    .summary = "Make complex numbers of their absolute values and angles.",
    .details = "abs * (cos(angle) + i sin(angle)).",
    .args = {{"abs", "Tensor of float32 or float64."},
             {"angle",
              "Tensor of the same dtype, in radians, whose sizes broadcast with those of `abs`."}},
    .returns = "A new tensor of the broadcast shape, complex64 or complex128.",
    .raises = unlike_parts,
    .example =
        ">>> gb.polar(gb.tensor([2.0]), gb.tensor([0.0]))\n"
        "tensor([2.+0.j])",
};

}  // namespace docs

namespace {

void check_parts(const char* op, const char* names, const Tensor& a, const Tensor& b) {
  const Operand left(a), right(b);
  common_device(op, {&left, &right});
  const bool is_known = a.dtype() == DType::float32 || a.dtype() == DType::float64;
  if (!is_known || a.dtype() != b.dtype())
    throw DTypeError(text(op, ": ", names, " of dtypes ", name_of(a.dtype()), " and ",
                          name_of(b.dtype()), "; float32 or float64 is needed for both, use to()"));
}

Tensor complex_of(const char* op, const Tensor& real, const Tensor& imag) {
  const Dims sizes = broadcast_sizes(op, real.sizes(), imag.sizes());
  const Tensor parts[] = {expand(real, sizes), expand(imag, sizes)};
  const View views[] = {parts[0].view(), parts[1].view()};
  const View* const both[] = {&views[0], &views[1]};
  const Dims strides = result_strides(sizes, both);
  if (is_contiguous(sizes, strides)) return view_as_complex(stack({parts[0], parts[1]}, -1));
  const Dims order = outside_in(strides);
  Dims back = order;
  for (int i = 0; i < order.size(); ++i) back[static_cast<int>(order[i])] = i;
  const Tensor stacked = stack({permute(parts[0], order), permute(parts[1], order)}, -1);
  return permute(view_as_complex(stacked), back);
}

Tensor complex_of_parts(const Tensor& real, const Tensor& imag) {
  check_parts("complex", "parts", real, imag);
  return complex_of("complex", real, imag);
}

Tensor polar(const Tensor& size, const Tensor& angle) {
  check_parts("polar", "abs and angle", size, angle);
  return complex_of("polar", size * cos(angle), size * sin(angle));
}

Tensor conjugated(const Tensor& input) {
  return is_complex(input.dtype()) ? conj(input) : clone(input);
}

constexpr std::array complex_rows{
    bind("view_as_real", alone, docs::view_as_real, fn<view_as_real>, Place::functional),
    bind("view_as_complex", alone, docs::view_as_complex, fn<view_as_complex>, Place::functional),
    bind("imag", alone, docs::imag, fn<imag>, Place::functional),
    bind("_real", alone, docs::real, fn<real>, Place::functional),
    bind("_conj", alone, docs::conj, fn<conj>, Place::functional),
    bind("conj_physical", alone, docs::conj_physical, fn<conjugated>).with_out(),
    bind("conj_physical_", alone, docs::conj_physical_, fn<&MadeForms<&conjugated>::in_place>,
         Place::method),
    bind("sgn", alone, docs::sgn, fn<sgn>).with_out(),
    bind("sgn_", alone, docs::sgn_, fn<&MadeForms<&sgn>::in_place>, Place::method),
    bind("complex", "real: Tensor, imag: Tensor", docs::complex, fn<complex_of_parts>,
         Place::functional)
        .with_out(),
    bind("polar", "abs: Tensor, angle: Tensor", docs::polar, fn<polar>, Place::functional)
        .with_out(),
};

}  // namespace

void add_complex_functions() { add_table<complex_rows>(); }

}  // namespace garboard::python
