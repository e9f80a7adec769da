// Sentences that functions of random numbers share.
#pragma once

#include "python/bindings/call/doc.h"

namespace garboard::python::docs {

inline constexpr Arg generator{"generator",
                               "What is drawn from; the one of `manual_seed` if left out."};
inline constexpr const char* itself = "The tensor itself, not a new handle.";
inline constexpr const char* redrawing_error =
    "DTypeError: The dtype is no floating one.\n"
    "ShapeError: The distribution's numbers make none, or `input` meets an element twice, as what "
    "`expand` returns.\n"
    "GradientError: Grad mode is on, and `input` is a leaf that requires grad, or a view of one.";

}  // namespace garboard::python::docs
