// The places of a box in parts of lines, each as long as a tile of rows is, with the taps that meet
// more than padding there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/convolution/row_tile.h"
#include "kernels/cpu/taps/moved.h"
#include "kernels/cpu/taps/planes.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// How a line is cut: into parts that are about equally long.
struct LineCut {
  std::int64_t places, parts, least;

  LineCut(std::int64_t places, int vectors)
      : places(places),
        parts(divided_up(places, std::int64_t{most_row_places(vectors)})),
        least(least_row_places(vectors)) {}

  std::int64_t kept(std::int64_t part) const {
    return places * (part + 1) / parts - places * part / parts;
  }
  /// What a tile computes for a part.
  std::int64_t length(std::int64_t part) const { return larger(kept(part), least); }
  /// For the whole line.
  std::int64_t computed() const { return parts == 1 ? length(0) : places; }
};

struct LinePart {
  std::int64_t at, to;          // the first place, and where its result goes
  std::int64_t length, places;  // computed, and kept
  std::int64_t first_tap, last_tap;
};

template <class T>
class LineParts {
 public:
  LineParts(const Moved<T>& of, int vectors) : of_(of), vectors_(vectors) {}

  /// Places of a sample lie `sample` from those of the one before. Found again only for a box of
  /// another form.
  void find(const Planes<T>& planes, const Box& box, std::int64_t sample) {
    if (box_.samples == box.samples && std::equal(box.first, box.first + space_dims, box_.first) &&
        std::equal(box.count, box.count + space_dims, box_.count))
      return;
    box_ = box;
    parts_.clear();
    taps_.clear();
    const LineCut cut(box.count[2], vectors_);
    for (std::int64_t z = 0, to = 0; z < box.count[0]; ++z)
      for (std::int64_t y = 0; y < box.count[1]; ++y)
        for (std::int64_t i = 0, x = 0; i < cut.parts; ++i) {
          LinePart part{planes.place(0, z, y, x), to, cut.length(i), cut.kept(i), tap_count(), 0};
          find_taps(planes, box.first[0] + z, box.first[1] + y, box.first[2] + x, part);
          part.last_tap = tap_count();
          parts_.push_back(part);
          x += part.places;
          to += part.places;
        }
    const auto of_a_sample = parts_.size();
    for (std::int64_t s = 1; s < box.samples; ++s)
      for (std::size_t i = 0; i < of_a_sample; ++i) {
        LinePart part = parts_[i];
        part.at += planes.place(s, 0, 0, 0);
        part.to += s * sample;
        parts_.push_back(part);
      }
  }

  const std::vector<LinePart>& parts() const { return parts_; }
  std::size_t parts_of_a_sample() const {
    return parts_.size() / static_cast<std::size_t>(box_.samples);
  }
  const MetTap* taps() const { return taps_.data(); }

 private:
  std::int64_t tap_count() const { return static_cast<std::int64_t>(taps_.size()); }

  void find_taps(const Planes<T>& planes, std::int64_t z, std::int64_t y, std::int64_t x,
                 const LinePart& part) {
    const bool ends_early = part.places < part.length;
    for (std::int64_t k = 0; k < product(of_.taps); ++k) {
      const std::int64_t of_x = k % of_.taps[2], of_y = k / of_.taps[2] % of_.taps[1],
                         of_z = k / of_.taps[2] / of_.taps[1];
      if (!of_.is_inside(0, z, of_z) || !of_.is_inside(1, y, of_y)) continue;
      const std::int64_t first = of_.element(2, x, of_x),
                         last = of_.element(2, x + part.places - 1, of_x);
      if (last < 0 || first >= of_.sizes[2]) continue;
      taps_.push_back({k, planes.tap(k), first < 0, ends_early || last >= of_.sizes[2]});
    }
  }

  const Moved<T>& of_;
  int vectors_;
  Box box_{};
  std::vector<LinePart> parts_;
  std::vector<MetTap> taps_;
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
