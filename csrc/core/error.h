// What a user's mistake becomes. Every message reads `op: what was given; what is needed`.
#pragma once

#include <stdexcept>
#include <string>

namespace garboard {

/// The root of all; Python's `GarboardError`.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ShapeError : public Error {
 public:
  using Error::Error;
};

class IndexOutOfRangeError : public ShapeError {
 public:
  using ShapeError::ShapeError;
};

class GradientError : public Error {
 public:
  using Error::Error;
};

class DTypeError : public Error {
 public:
  using Error::Error;
};

class DeviceError : public Error {
 public:
  using Error::Error;
};

/// A matrix has no such inverse or factor, or what is looked for step by step was not found.
class LinAlgError : public Error {
 public:
  using Error::Error;
};

/// An alias was used after its end; the message names the op and the scope that ended it.
class DisposedError : public Error {
 public:
  using Error::Error;
};

/// An in-place write spoiled a tensor that a graph had saved.
class VersionError : public Error {
 public:
  using Error::Error;
};

/// No byte could be had even after every way of getting some. The report says who holds them.
class OutOfMemoryError : public Error {
 public:
  OutOfMemoryError(const std::string& message, std::string report)
      : Error(message), report_(std::move(report)) {}

  const std::string& report() const { return report_; }

 private:
  std::string report_;
};

/// A storage would have taken a scope over its budget.
class ScopeLimitError : public OutOfMemoryError {
 public:
  using OutOfMemoryError::OutOfMemoryError;
};

}  // namespace garboard
