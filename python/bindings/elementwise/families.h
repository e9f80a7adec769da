// The docstrings of the elementwise families. What an op's declaration knows (the dtypes its kernel
// takes, what backward keeps) is told from there, so no text can contradict it.
#pragma once

#include "csrc/ops/op/op.h"
#include "python/bindings/call/doc.h"

namespace garboard::python {

// Their texts live as long as the program.
Doc doc_of(const Unary& op);
Doc doc_of(const Binary& op);
/// Of `name_`, which writes over its first operand.
Doc in_place_doc_of(const Unary& op);
Doc in_place_doc_of(const Binary& op);

}  // namespace garboard::python
