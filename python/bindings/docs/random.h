// What users read about random tensors: python/bindings/methods_create.cpp. And what every
// function that makes a tensor says of its options.
#pragma once

#include "python/bindings/docs/doc.h"

namespace garboard::python::docs {

inline constexpr Arg size{"size",
                          "Sizes, or one sequence of them; none makes a tensor of no dims."};
inline constexpr Arg dtype{"dtype", "The dtype; float32 where it is left out."};
inline constexpr Arg device{"device", "Where it lies; the CPU where it is left out."};
inline constexpr Arg requires_grad{"requires_grad", "True asks for a gradient: makes it a leaf."};

inline constexpr const char* philox =
    "Philox4x32-10 (Salmon et al., \"Parallel random numbers: as easy as 1, 2, 3\", 2011): after "
    "`manual_seed` the same numbers on every device and with any number of threads.";
inline constexpr Arg floating_dtype{"dtype", "A floating dtype; float32 where it is left out."};
inline constexpr const char* random_error =
    "ShapeError: A size is negative.\n"
    "DTypeError: The dtype is no floating one.\n"
    "DeviceError: The device cannot be used.";

inline constexpr Doc rand{
    .summary = "Draw from the uniform distribution on [0, 1).",
    .details = philox,
    .args = {size, floating_dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = random_error,
    .example =
        ">>> gb.manual_seed(0)\n"
        ">>> x = gb.rand(2, 3)\n"
        ">>> gb.manual_seed(0)\n"
        ">>> gb.equal(x, gb.rand(2, 3))\n"
        "True",
};
inline constexpr Doc randn{
    .summary = "Draw from the standard normal distribution.",
    .details = philox,
    .args = {size, floating_dtype, device, requires_grad},
    .returns = "A new dense tensor.",
    .raises = random_error,
    .example =
        ">>> gb.randn(2, 3).shape\n"
        "(2, 3)",
};
inline constexpr Arg of_those_sizes{"input", "Tensor whose sizes, dtype and device are taken."};
inline constexpr const char* random_like_error =
    "DTypeError: The dtype is no floating one.\n"
    "DeviceError: The device cannot be used.";
inline constexpr Doc rand_like{
    .summary = "Draw from the uniform distribution on [0, 1), in the sizes and dtype of `input`.",
    .args = {of_those_sizes,
             {"dtype", "Another floating dtype than `input`'s."},
             {"device", "Another device than `input`'s."},
             requires_grad},
    .returns = "A new dense tensor of `input`'s sizes.",
    .raises = random_like_error,
    .example =
        ">>> gb.rand_like(gb.zeros(2, 3)).shape\n"
        "(2, 3)",
};
inline constexpr Doc randn_like{
    .summary = "Draw from the standard normal distribution, in the sizes and dtype of `input`.",
    .args = {of_those_sizes,
             {"dtype", "Another floating dtype than `input`'s."},
             {"device", "Another device than `input`'s."},
             requires_grad},
    .returns = "A new dense tensor of `input`'s sizes.",
    .raises = random_like_error,
    .example =
        ">>> gb.randn_like(gb.zeros(2, 3)).shape\n"
        "(2, 3)",
};
inline constexpr Doc randint{
    .summary = "Draw integers from [`low`, `high`), each as likely.",
    .args = {{"low", "The least integer; 0 where it is left out."},
             {"high", "What is above the largest one."},
             {"size", "Sizes."},
             {"dtype", "The dtype; int64 where it is left out."},
             device},
    .returns = "A new dense tensor.",
    .raises =
        "ShapeError: `low` is not below `high`, or a size is negative.\n"
        "DeviceError: The device cannot be used.",
    .example =
        ">>> x = gb.randint(5, 8, (100,))\n"
        ">>> x.amin().item() >= 5, x.amax().item() <= 7\n"
        "(True, True)",
};
inline constexpr Doc randperm{
    .summary = "Put the integers from 0 to `n` - 1 in a random order.",
    .details = "Each order is as likely.",
    .args = {{"n", "How many."},
             {"dtype", "One that holds them all; int64 where it is left out."},
             device},
    .returns = "A new tensor of one dim.",
    .raises =
        "ShapeError: `n` is negative.\n"
        "DTypeError: The dtype does not hold them all.\n"
        "DeviceError: The device cannot be used.",
    .example =
        ">>> sorted(gb.randperm(4).tolist())\n"
        "[0, 1, 2, 3]",
};
inline constexpr const char* redrawing_error =
    "DTypeError: The dtype is no floating one.\n"
    "ShapeError: The distribution's numbers make none, or `input` meets an element twice, as what "
    "`expand` returns.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";
inline constexpr Doc uniform_{
    .summary = "Draw from the uniform distribution on [`from_`, `to`) into this tensor.",
    .args = {{"from_", "The least number, finite."}, {"to", "The upper bound, not below `from_`."}},
    .returns = "The tensor itself, not a new handle.",
    .raises = redrawing_error,
    .example =
        ">>> x = gb.uniform_(gb.zeros(100), 2, 3)\n"
        ">>> x.amin().item() >= 2, x.amax().item() < 3\n"
        "(True, True)",
};
inline constexpr Doc normal_{
    .summary = "Draw from a normal distribution into this tensor.",
    .args = {{"mean", "Its mean, finite."}, {"std", "Its standard deviation, at least 0."}},
    .returns = "The tensor itself, not a new handle.",
    .raises = redrawing_error,
    .example =
        ">>> gb.normal_(gb.zeros(2), 3.0, 0.0)\n"
        "tensor([3., 3.])",
};
inline constexpr Doc manual_seed{
    .summary = "Restart the random generator, which all threads and devices share.",
    .args = {{"seed", "An integer of 64 bits."}},
    .example =
        ">>> gb.manual_seed(0)\n"
        ">>> x = gb.rand(2)\n"
        ">>> gb.manual_seed(0)\n"
        ">>> gb.equal(x, gb.rand(2))\n"
        "True",
};

}  // namespace garboard::python::docs
