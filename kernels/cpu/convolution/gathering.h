// A convolution of stride 1 or more, to places that may lie apart: what convolutions and their
// gradients for the input are made of. Each channel's part is copied once, between zeros, and
// stays in the second cache while all rows pass by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cpu/convolution/direct_tile.h"
#include "kernels/cpu/convolution/line_parts.h"
#include "kernels/cpu/convolution/row_tile.h"
#include "kernels/cpu/convolution/tap_product.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/taps/planes.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
struct Gathering : TapProduct<T> {
  using TapProduct<T>::samples, TapProduct<T>::groups, TapProduct<T>::rows, TapProduct<T>::channels;
  using TapProduct<T>::factors, TapProduct<T>::moved, TapProduct<T>::target, TapProduct<T>::places;
  using TapProduct<T>::bias, TapProduct<T>::taps, TapProduct<T>::depth, TapProduct<T>::first_place;

  bool of_pairs;  // of bfloat16, side by side in the place of an element
  /// What lies in the lanes of a tile's vectors.
  enum class Way { places, places_copied_for_each_tap, rows };
  Way way;

  Gathering(const TapProduct<T>& of, bool of_pairs)
      : TapProduct<T>(of), of_pairs(of_pairs), way(best_way()) {}

  /// Whether out channels can be worth the lanes.
  static bool suits_rows(std::int64_t rows, std::int64_t channels, std::int64_t taps,
                         std::int64_t width) {
    return rows > lanes && channels >= 16 && taps <= 40 && width >= 4;
  }

  /// Of the taps of lines, the part that meets more than padding.
  double met_part() const {
    double part = 1;
    for (int d = 0; d < 2; ++d) {
      std::int64_t met = 0;
      for (std::int64_t k = 0; k < moved.taps[d]; ++k) met += moved.places_inside(d, k);
      part *= static_cast<double>(met) / static_cast<double>(moved.places[d] * moved.taps[d]);
    }
    return part;
  }

  void run() const {
    const bool copies_each = way == Way::places_copied_for_each_tap;
    const bool is_direct = target.is_dense(places) && !copies_each;
    const std::int64_t most_places = is_direct ? 4096 : larger((1 << 18) / (rows + 1), 64);
    const Reading reading = copies_each ? Reading::vectors_of_places : Reading::vectors;
    const Axis axes[] = {{moved, 0, reading}, {moved, 1, reading}, {moved, 2, reading}};
    const Cut cut(axes, samples, moved.places,
                  {copied_bytes() * (copies_each ? 2 : 1) / item / channels_at_once(), most_places},
                  least_boxes());
    const Planes<T> planes(moved, axes, cut);
    std::vector<std::int64_t> offsets;
    for (std::int64_t c = 0; c < channels_at_once(); ++c)
      for (std::int64_t k = 0; k < taps(); ++k)
        offsets.push_back(c * planes.channel() + planes.tap(k));
    const Scratch strips(groups * strip_count() * strip() * item);
    pack_factors(strips.as<T>());
    const std::int64_t boxes = cut.count();
    // A few boxes are too few for threads to share: each is then done for some rows at a time.
    constexpr std::int64_t least_rows = 256;
    const std::int64_t most_parts = copies_each ? rows / least_rows : strip_count();
    const std::int64_t row_parts =
        larger(smaller(divided_up(tuning::convolution_parts / 4, groups * boxes), most_parts), 1);
    const auto run_some = [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t copied = channels_at_once() * planes.channel();
      const Scratch copies((copied + Planes<T>::slack) * item);
      fill(copies.as<T>() + copied, Planes<T>::slack, T(0));
      const std::int64_t columns = cut.samples_each() * product(cut.full());
      const Scratch results(is_direct ? 0 : rows * columns * item);
      Spots spots;
      LineParts<T> parts(moved, row_vectors());
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t group = i / boxes / row_parts, part = i / boxes % row_parts;
        const Box box = cut[i % boxes];
        const std::int64_t sample = is_direct ? target.sample_stride : box.places();
        way == Way::rows ? parts.find(planes, box, sample) : spots.find(planes, box, sample);
        run_box({.group = group,
                 .first_strip = strip_count() * part / row_parts,
                 .last_strip = strip_count() * (part + 1) / row_parts,
                 .box = box,
                 .planes = planes,
                 .spots = spots,
                 .parts = parts,
                 .offsets = offsets.data(),
                 .strips = strips.as<T>() + group * strip_count() * strip(),
                 .copies = copies.as<T>(),
                 .results = results.as<T>()});
      }
    };
    for_each_part(groups * row_parts * boxes, 1,
                  cost_ns<T>(groups * rows, depth(), samples, product(moved.places)), run_some);
  }

 private:
  static constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  static constexpr std::int64_t lanes = WideVector<T>::lanes;

  // A vector of 32 bytes leaves less time to fetch what the next one meets: it has to stay in the
  // first cache.
  static constexpr std::int64_t usual_depth = has_many_registers ? 640 : 320;

  /// Channels whose copies are in the cache together, all about equally many.
  std::int64_t channels_at_once() const {
    // What is copied for each tap takes more room.
    const std::int64_t most_depth = way == Way::places_copied_for_each_tap ? 288 : usual_depth;
    const std::int64_t blocks =
        divided_up(channels, larger(smaller(most_depth / taps(), channels), 1));
    return blocks == 0 ? 1 : divided_up(channels, blocks);
  }
  static std::int64_t copied_bytes() { return larger(machine().second_cache_bytes / 4, 1 << 17); }

  int row_vectors() const {
    const bool is_short = moved.places[2] <= most_row_places(many_vectors);
    return has_many_registers && is_short && rows > few_vectors * lanes ? many_vectors
                                                                        : few_vectors;
  }
  /// Whether the same part of two samples is computed at once.
  bool computes_twins() const { return has_many_registers && row_vectors() == many_vectors; }
  /// Of a strip's factors of one channel.
  std::int64_t line() const { return way == Way::rows ? row_vectors() * lanes : strip_line; }

  /// For threads to share, but not where a tile's two vectors would be cut.
  std::int64_t least_boxes() const {
    if (way == Way::rows && computes_twins()) return larger(smaller(samples / 2, 8), 1);
    if (way != Way::places_copied_for_each_tap) return 8;
    return samples * product(moved.places) < 4 * lanes ? 1 : 2;
  }

  // Rows are cut into strips that a tile can have, about equally high where they are not in lanes.
  std::int64_t strip_count() const {
    return divided_up(rows, way == Way::rows ? line() : most_tile_rows);
  }
  std::int64_t first_row(std::int64_t strip) const {
    return way == Way::rows ? smaller(strip * line(), rows) : strip * rows / strip_count();
  }
  std::int64_t strip() const { return line() * depth(); }

  void pack_strip(T* to, std::int64_t group, std::int64_t row, std::int64_t some) const {
    if (way != Way::rows) return factors.pack(to, group, row, some, channels);
    for (std::int64_t c = 0; c < channels; c += channels_at_once())
      factors.pack_by_taps(to + c * taps() * line(), line(), group, row, some, c,
                           smaller(channels - c, channels_at_once()));
  }
  void pack_factors(T* to) const {
    const std::int64_t all = groups * strip_count();
    for_each_part(all, 1, static_cast<double>(groups * rows) * static_cast<double>(depth()) * 0.5,
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t i = begin; i < end; ++i) {
                      const std::int64_t s = i % strip_count(), row = first_row(s);
                      pack_strip(to + i * strip(), i / strip_count(), row, first_row(s + 1) - row);
                    }
                  });
  }

  /// By how many vectors of sums a tap of a channel is added to, for half of the samples.
  Way best_way() const {
    constexpr std::int64_t copied_line = 32;  // what copying a line takes, in vectors
    const std::int64_t all = product(moved.places), width = moved.places[2];
    if (of_pairs) return Way::rows;
    Way best = Way::places;
    if (all == 0) return best;
    const std::int64_t lines = moved.places[0] * moved.places[1];
    const std::int64_t together = divided_up(samples, 2);
    double least = static_cast<double>(
        together * divided_up(lines * (width + (taps() > 1 ? 1 : 0)) - 1, lanes) * rows);
    const double each = static_cast<double>(divided_up(together * all, lanes) * rows +
                                            together * lines * copied_line);
    if (taps() > 1 && all <= 256 && width <= 2 * lanes && each < 0.97 * least) {
      best = Way::places_copied_for_each_tap;
      least = each;
    }
    if (!suits_rows(rows, channels, taps(), width)) return best;
    const LineCut cut(width, row_vectors());
    const std::int64_t vectors = divided_up(rows, row_vectors() * lanes) * row_vectors();
    const double of_rows =
        static_cast<double>(together * lines * cut.computed() * vectors) * met_part();
    constexpr double gain = has_many_registers ? 0.98 : 0.92;  // six places a factor, or fourteen
    return of_rows < gain * least ? Way::rows : best;
  }

  /// Vectors over the places of a box; found again only for a box of another form.
  class Spots {
   public:
    /// Places of a sample lie `sample` from those of the one before.
    void find(const Planes<T>& planes, const Box& box, std::int64_t sample) {
      if (std::equal(box.count, box.count + space_dims, count_) && box.samples == samples_) return;
      std::copy(box.count, box.count + space_dims, count_);
      samples_ = box.samples;
      all_.clear();
      if (sample == box.places()) return find_some(planes, 0, samples_, 0);
      for (std::int64_t s = 0; s < samples_; ++s) find_some(planes, s, s + 1, s * sample);
    }
    std::int64_t size() const { return static_cast<std::int64_t>(all_.size()); }
    const Spot* at(std::int64_t i) const { return all_.data() + i; }

   private:
    /// Of some samples whose results follow each other.
    void find_some(const Planes<T>& planes, std::int64_t first, std::int64_t last,
                   std::int64_t to) {
      const std::int64_t in_sample = count_[0] * count_[1], lines = (last - first) * in_sample;
      const std::size_t begin = all_.size();
      const auto place = [&](std::int64_t line, std::int64_t x) {
        const std::int64_t rest = line % in_sample;
        return planes.place(first + line / in_sample, rest / count_[1], rest % count_[1], x);
      };
      for (std::int64_t line = 0, x = 0; line < lines;) {
        Spot spot{place(line, x), to};
        for (std::int64_t lane = 0; line < lines && lane < lanes;) {
          const std::int64_t some = smaller(count_[2] - x, lanes - lane);
          spot.kept |= static_cast<std::uint32_t>(((std::uint64_t{1} << some) - 1) << lane);
          spot.count += static_cast<std::int32_t>(some);
          x += some;
          if (x == count_[2]) {
            x = 0;
            if (++line < lines) lane = place(line, 0) - spot.at;
          } else {
            break;
          }
        }
        to += spot.count;
        all_.push_back(spot);
      }
      // Not behind `to`, where another sample or row begins.
      for (Spot& spot : std::span(all_).subspan(begin)) {
        spot.is_followed = spot.to + lanes <= to;
        int places = 0;
        for (std::uint64_t lane = 0; lane < 8; ++lane)
          if (spot.kept >> lane & 1) spot.order |= lane << (8 * places++);
      }
    }

    std::vector<Spot> all_;
    std::int64_t count_[space_dims] = {}, samples_ = 0;
  };

  struct Work {
    std::int64_t group, first_strip, last_strip;
    const Box& box;
    const Planes<T>& planes;
    const Spots& spots;
    const LineParts<T>& parts;
    const std::int64_t* offsets;
    const T* strips;  // of the group
    T* copies;
    T* results;  // [rows, places], or null: where they belong at once
  };

  void run_box(const Work& work) const {
    const Box& box = work.box;
    const std::int64_t channel = product(target.sizes), columns = box.samples * box.places();
    T* const out = target.data + box.sample * target.sample_stride + work.group * rows * channel;
    T* const to = work.results ? work.results : out + first_place(box);
    for (std::int64_t c = 0; c < larger(channels, 1); c += channels_at_once()) {
      interruption_point();
      const std::int64_t some = smaller(channels - c, channels_at_once());
      const T* const from = moved.data + box.sample * moved.sample_stride +
                            (work.group * channels + c) * moved.channel_stride();
      for (std::int64_t i = 0; i < some; ++i)
        work.planes.copy(work.copies + i * work.planes.channel(), from + i * moved.channel_stride(),
                         box);
      const std::int64_t row = work.results ? columns : channel;
      way == Way::rows ? multiply_rows(work, c, some, to, row)
                       : multiply_places(work, c, some, to, row);
    }
    if (!work.results) return;
    for (std::int64_t row = first_row(work.first_strip); row < first_row(work.last_strip); ++row)
      for (std::int64_t s = 0; s < box.samples; ++s)
        target.store(out + row * channel + s * target.sample_stride,
                     work.results + row * columns + s * box.places(), places, first_place(box),
                     box.places());
  }

  /// Strips by tens stay in the second cache, and what meets two vectors of places in the first.
  std::int64_t strips_at_once(std::int64_t channels) const {
    constexpr std::int64_t most_factors = (1 << 18) / item;
    return larger(most_factors / (channels * taps() * line() + 1), 1);
  }
  void multiply_places(const Work& work, std::int64_t first_channel, std::int64_t some, T* to,
                       std::int64_t to_stride) const {
    const std::int64_t at_once = strips_at_once(some);
    DirectTile<T> tile{};
    tile.offsets = work.offsets;
    tile.depth = some * taps();
    tile.met = work.copies;
    tile.out_stride = to_stride;
    tile.accumulate = first_channel > 0;
    for (std::int64_t begin = work.first_strip; begin < work.last_strip; begin += at_once)
      for (std::int64_t v = 0; v < work.spots.size(); v += 2) {
        const std::int64_t vectors = smaller(work.spots.size() - v, 2);
        for (std::int64_t s = begin; s < smaller(begin + at_once, work.last_strip); ++s) {
          const std::int64_t row = first_row(s);
          tile.factors = work.strips + s * strip() + first_channel * taps() * strip_line;
          tile.out = to + row * to_stride;
          tile.bias = bias && first_channel == 0 ? bias + work.group * rows + row : nullptr;
          direct_tiles<T>.of[first_row(s + 1) - row - 1][vectors - 1](tile, work.spots.at(v));
        }
      }
  }
  /// The same by parts of lines.
  void multiply_rows(const Work& work, std::int64_t first_channel, std::int64_t some, T* to,
                     std::int64_t to_stride) const {
    const std::int64_t at_once = strips_at_once(some);
    RowTile<T> tile{};
    tile.channels = some;
    tile.channel_step = work.planes.channel();
    tile.out_stride = to_stride;
    tile.accumulate = first_channel > 0;
    const std::vector<LinePart>& parts = work.parts.parts();
    const std::size_t of_a_sample = work.parts.parts_of_a_sample();
    const bool has_twins = computes_twins();
    for (std::int64_t begin = work.first_strip; begin < work.last_strip; begin += at_once)
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const LinePart& part = parts[i];
        if (has_twins && i / of_a_sample % 2 == 1) continue;  // computed with the first
        const bool is_twin = has_twins && i + of_a_sample < parts.size();
        tile.first = work.parts.taps() + part.first_tap;
        tile.last = work.parts.taps() + part.last_tap;
        tile.met = work.copies + part.at;
        tile.places = part.places;
        if (is_twin) {
          tile.twin_met = parts[i + of_a_sample].at - part.at;
          tile.twin_out = parts[i + of_a_sample].to - part.to;
        }
        const auto multiply = row_tile(part.length, is_twin);
        for (std::int64_t s = begin; s < smaller(begin + at_once, work.last_strip); ++s) {
          const std::int64_t row = first_row(s);
          tile.factors = work.strips + s * strip() + first_channel * taps() * line();
          tile.out = to + row * to_stride + part.to;
          tile.rows = first_row(s + 1) - row;
          tile.bias = bias && first_channel == 0 ? bias + work.group * rows + row : nullptr;
          multiply(tile);
        }
      }
  }
  template <bool are_pairs>
  auto row_tile_of(std::int64_t length, bool is_twin) const {
    if constexpr (has_many_registers)
      if (row_vectors() == many_vectors) {
        const std::int64_t i = length - least_row_places(many_vectors);
        return is_twin ? twin_row_tiles<T, are_pairs>.of[i]
                       : row_tiles<T, are_pairs, many_vectors>.of[i];
      }
    return row_tiles<T, are_pairs, few_vectors>.of[length - least_row_places(few_vectors)];
  }
  auto row_tile(std::int64_t length, bool is_twin) const {
    if constexpr (holds_pairs<T>)
      if (of_pairs) return row_tile_of<true>(length, is_twin);
    return row_tile_of<false>(length, is_twin);
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
