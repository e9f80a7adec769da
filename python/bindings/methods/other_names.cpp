// PyTorch's second names of functions and methods.
#include "python/bindings/call/methods.h"

namespace garboard::python {
namespace {

constexpr OtherName names[] = {
    {"arccos", "acos"},      {"arccosh", "acosh"},   {"arcsin", "asin"},
    {"arcsinh", "asinh"},    {"arctan", "atan"},     {"arctan2", "atan2"},
    {"arctanh", "atanh"},    {"absolute", "abs"},    {"clip", "clamp"},
    {"concat", "cat"},       {"concatenate", "cat"}, {"divide", "div"},
    {"fix", "trunc"},        {"ger", "outer"},       {"greater", "gt"},
    {"greater_equal", "ge"}, {"less", "lt"},         {"less_equal", "le"},
    {"moveaxis", "movedim"}, {"multiply", "mul"},    {"ndimension", "dim"},
    {"nelement", "numel"},   {"negative", "neg"},    {"not_equal", "ne"},
    {"row_stack", "vstack"}, {"subtract", "sub"},    {"swapdims", "transpose"},
    {"true_divide", "div"},
};

}  // namespace

void add_other_names() { add_names(names); }

}  // namespace garboard::python
