// What stands in brackets and names no place, because of what it is.
#pragma once

#include "csrc/core/error.h"

namespace garboard {

/// An index of a type or dtype that none has; Python's is an IndexError as well.
class IndexTypeError : public DTypeError {
 public:
  using DTypeError::DTypeError;
};

}  // namespace garboard
