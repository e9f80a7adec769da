// Convolutions of bfloat16, and their gradients for the input, by the processor's tiles:
// docs/design/0054. Channels lie side by side by twos, each two in the place of a float, and 32 of
// them are a tile's depth at a tap: it is read where the tap meets it, from one copy.
#pragma once

#include "kernels/cpu/convolution/amx/finite.h"
#include "kernels/cpu/convolution/tap_product.h"
#include "kernels/cpu/product/amx_tiles.h"

#if defined(__AVX512F__) && defined(__linux__)
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/loop/transpose.h"
#include "kernels/cpu/product/pairs.h"
#include "kernels/cpu/tuning.h"
#include "kernels/cpu/wide/half_conversions.h"
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

#if defined(__AVX512F__) && defined(__linux__)

class AmxGathering {
 public:
  /// Of one group. `met` is what the taps meet: where a few channels share a tile with several
  /// taps, an infinity would reach places that have no tap on it.
  static bool suits(std::int64_t rows, std::int64_t channels, std::int64_t taps,
                    std::int64_t columns, const View& met) {
    return may_use_tiles() && rows >= tuning::amx_least_rows && columns > 0 && taps > 0 &&
           rows * channels * taps * columns >= tuning::amx_least_products &&
           (channels > tile_side || is_finite(met));
  }

  explicit AmxGathering(const TapProduct<BFloat16>& of)
      : of_(of),
        pairs_(smaller(std::bit_ceil(static_cast<std::uint64_t>(divided_up(of.channels, 2))),
                       std::uint64_t{tile_side})),
        strips_(divided_up(of.channels, tile_depth)),
        words_(words_of(of.moved)),
        axes_{{words_, 0, Reading::vectors},
              {words_, 1, Reading::vectors},
              {words_, 2, Reading::vectors}},
        cut_(axes_, of.samples, of.moved.places,
             {copied_words() / (tile_side * strips_), most_places},
             thread_count() > 1 ? 2 * thread_count() : 1),
        planes_(words_, axes_, cut_),
        line_((divided_up(planes_.channel() + Planes<float>::slack, unit) | 1) * unit) {
    find_taps();
    for (std::int64_t strip = 0; strip < strips_; ++strip)
      for (const Taps& taps : taps_)
        steps_.push_back((strip * tile_side * line_ + taps.place) * word);
  }

  void run() const {
    const std::int64_t block = block_bytes * steps(), blocks = divided_up(of_.rows, block_side);
    const Scratch factors(of_.groups * blocks * block);
    for_each_part(of_.groups * blocks, 1,
                  static_cast<double>(of_.groups * of_.rows * of_.depth()) * 0.3,
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t i = begin; i < end; ++i)
                      pack_block(reinterpret_cast<BFloat16*>(factors.data() + i * block),
                                 i / blocks, i % blocks * block_side);
                  });
    const std::int64_t boxes = cut_.count(), all = of_.groups * boxes, threads = thread_count();
    const std::int64_t cuts =
        threads > 1 ? smaller(divided_up(2 * threads, all), blocks) : std::int64_t{1};
    for_each_part(all * cuts, 1, cost(), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t copied = (strips_ * tile_side * line_ + Planes<float>::slack) * word;
      const Scratch copies(copied);
      if (shifts() > 1)  // what nothing is copied to is multiplied by 0
        std::memset(copies.data(), 0, static_cast<std::size_t>(copied));
      const Scratch turned(cut_.samples_each() * words_.channel_stride() * word);
      const TileUse tiles;
      Spots spots;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t group = i / cuts / boxes, part = i % cuts;
        const Box box = cut_[i / cuts % boxes];
        copy(copies.as<float>(), turned.as<float>(), group, box);
        spots.find(planes_, box);
        for (std::int64_t b = blocks * part / cuts; b < blocks * (part + 1) / cuts; ++b) {
          interruption_point();
          multiply(factors.data() + (group * blocks + b) * block, copies.data(), group,
                   b * block_side, box, spots);
        }
      }
    });
  }

 private:
  static constexpr std::int64_t word = sizeof(float), unit = 16, most_places = 1 << 15;
  static constexpr std::int64_t block_elements = block_bytes / 2;

  /// What a tile of the depth meets: a tap, or where channels are few some that follow each other
  /// at one distance.
  struct Taps {
    std::int64_t place;                 // of the first one in a copy
    std::vector<std::int64_t> numbers;  // negative: none
  };

  static std::int64_t copied_words() {
    return larger(machine().second_cache_bytes / 2, 1 << 18) / word;
  }
  /// The same elements, two channels in each.
  static Moved<float> words_of(const Moved<BFloat16>& of) {
    Moved<float> words{nullptr, of.channel_stride(), {}, {}, {}, {}, {}, {}};
    for (int d = 0; d < space_dims; ++d) {
      words.sizes[d] = of.sizes[d];
      words.places[d] = of.places[d];
      words.taps[d] = of.taps[d];
      words.step[d] = of.step[d];
      words.start[d] = of.start[d];
      words.tap_step[d] = of.tap_step[d];
    }
    return words;
  }
  std::int64_t shifts() const { return tile_side / pairs_; }
  std::int64_t steps() const { return static_cast<std::int64_t>(steps_.size()); }
  double cost() const {
    return static_cast<double>(of_.groups * divided_up(of_.rows, tile_side) * tile_side) *
           static_cast<double>(steps() * tile_depth) *
           static_cast<double>(of_.samples * product(of_.moved.places)) * tuning::amx_product_ns;
  }

  void find_taps() {
    const std::int64_t line = of_.moved.taps[2];
    for (std::int64_t first = 0; first < of_.taps(); first += line) {
      std::vector<std::int64_t> left;
      for (std::int64_t k = 0; k < line; ++k) left.push_back(first + k);
      std::sort(left.begin(), left.end(),
                [&](std::int64_t a, std::int64_t b) { return planes_.tap(a) < planes_.tap(b); });
      if (shifts() > 1 && first == 0) find_distance(left);
      while (!left.empty()) {
        Taps taps{planes_.tap(left.front()), {}};
        for (std::int64_t s = 0; s < shifts(); ++s) {
          const auto at = std::find_if(left.begin(), left.end(), [&](std::int64_t k) {
            return planes_.tap(k) == taps.place + s * distance_;
          });
          taps.numbers.push_back(at == left.end() ? -1 : *at);
          if (at != left.end()) left.erase(at);
        }
        taps_.push_back(std::move(taps));
      }
    }
  }
  /// The least of two taps of a line, in order.
  void find_distance(const std::vector<std::int64_t>& taps) {
    for (std::size_t i = 1; i < taps.size(); ++i) {
      const std::int64_t distance = planes_.tap(taps[i]) - planes_.tap(taps[i - 1]);
      if (i == 1 || distance < distance_) distance_ = distance;
    }
  }

  /// Two tiles of rows for each step.
  void pack_block(BFloat16* to, std::int64_t group, std::int64_t row) const {
    if (row + block_side > of_.rows || of_.channels % tile_depth != 0)
      std::memset(to, 0, static_cast<std::size_t>(block_bytes * steps()));
    const std::int64_t next = static_cast<std::int64_t>(taps_.size()) * block_elements;
    for (std::int64_t first = 0; first < of_.channels; first += tile_depth, to += next)
      for (std::int64_t half = 0; half < 2; ++half) {
        const std::int64_t at = row + half * tile_side;
        const std::int64_t rows = smaller(of_.rows - at, tile_side);
        if (rows > 0)
          pack_tiles(to + half * block_elements / 2, group, at, rows, first,
                     smaller(of_.channels - first, tile_depth));
      }
  }
  void pack_tiles(BFloat16* to, std::int64_t group, std::int64_t row, std::int64_t rows,
                  std::int64_t channel, std::int64_t channels) const {
    const TapFactors<BFloat16>& factors = of_.factors;
    const BFloat16* const from = factors.data + group * factors.group_step +
                                 row * factors.row_step + channel * factors.channel_step;
    const auto bits = [](auto* of) {
      using Bits = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(of)>>,
                                      const std::uint16_t, std::uint16_t>;
      return reinterpret_cast<Bits*>(of);
    };
    if (shifts() == 1 && factors.is_dense() && has_taps_in_order()) {
      for (std::int64_t i = 0; i < rows; ++i)
        transpose(bits(to + i * tile_depth), block_elements, bits(from + i * factors.row_step),
                  factors.channel_step, channels, factors.count());
      return;
    }
    if (shifts() == 1 && factors.row_step < factors.channel_step) {
      const std::int64_t columns = (rows - 1) * factors.row_step + factors.taps.back() + 1;
      const Scratch turned(columns * tile_depth * std::int64_t{sizeof(BFloat16)});
      transpose(turned.as<std::uint16_t>(), tile_depth, bits(from), factors.channel_step, channels,
                columns);
      for (std::size_t t = 0; t < taps_.size(); ++t, to += block_elements)
        for (std::int64_t i = 0; i < rows; ++i)
          std::copy_n(turned.as<BFloat16>() +
                          (i * factors.row_step + tap(taps_[t].numbers.front())) * tile_depth,
                      channels, to + i * tile_depth);
      return;
    }
    for (const Taps& taps : taps_) {
      for (std::size_t s = 0; s < taps.numbers.size(); ++s)
        for (std::int64_t i = 0; i < rows && taps.numbers[s] >= 0; ++i)
          for (std::int64_t c = 0; c < channels; ++c)
            to[i * tile_depth + static_cast<std::int64_t>(s) * 2 * pairs_ + c] =
                from[i * factors.row_step + c * factors.channel_step + tap(taps.numbers[s])];
      to += block_elements;
    }
  }
  std::int64_t tap(std::int64_t number) const {
    return of_.factors.taps[static_cast<std::size_t>(number)];
  }
  bool has_taps_in_order() const {
    for (std::size_t t = 0; t < taps_.size(); ++t)
      if (taps_[t].numbers.front() != static_cast<std::int64_t>(t)) return false;
    return true;
  }

  /// Of a group's channels what a box meets: a row for two channels, or for each shift of them.
  void copy(float* to, float* turned, std::int64_t group, const Box& box) const {
    const std::int64_t all = words_.channel_stride();
    const auto [begin, end] = met(box);
    for (std::int64_t pair = 0; pair < strips_ * pairs_; ++pair) {
      float* const row = to + pair * line_;
      const std::int64_t channel = 2 * pair;
      if (channel >= of_.channels) {
        for (std::int64_t s = 0; s < shifts(); ++s)
          std::memset(row + s * pairs_ * line_, 0, static_cast<std::size_t>(line_ * word));
        continue;
      }
      for (std::int64_t s = 0; s < box.samples; ++s) {
        const BFloat16* const from = of_.moved.data + (box.sample + s) * of_.moved.sample_stride +
                                     (group * of_.channels + channel) * all;
        interleave(reinterpret_cast<std::uint32_t*>(turned) + s * all + begin, from + begin,
                   channel + 1 < of_.channels ? from + all + begin : nullptr, end - begin);
      }
      planes_.copy(row, turned, box);
      for (std::int64_t s = 1; s < shifts(); ++s)
        std::memcpy(row + s * pairs_ * line_, row + s * distance_,
                    static_cast<std::size_t>((line_ - s * distance_) * word));
    }
  }
  /// Where a channel's elements begin and end that a box meets, and some beside them.
  std::pair<std::int64_t, std::int64_t> met(const Box& box) const {
    std::int64_t first = 0, last = 0;
    for (int d = 0; d < space_dims; ++d) {
      const std::int64_t taps = words_.taps[d] - 1, place = box.first[d];
      const std::int64_t least =
          smaller(words_.element(d, place, 0), words_.element(d, place, taps));
      const std::int64_t most = larger(words_.element(d, place + box.count[d] - 1, 0),
                                       words_.element(d, place + box.count[d] - 1, taps));
      const std::int64_t end = words_.sizes[d] - 1;
      first = first * words_.sizes[d] + larger(smaller(least, end), 0);
      last = last * words_.sizes[d] + larger(smaller(most + words_.step[d] - 1, end), 0);
    }
    return {smaller(first, last), last + 1};
  }

  /// 32 places of a copy that follow each other, and which of them are places of a box.
  struct Spot {
    std::int64_t at, sample, first;  // in the copy; of the box, the first place that is one
    std::uint32_t kept = 0;
  };
  /// Those of a box; found again only for one of another form.
  class Spots {
   public:
    void find(const Planes<float>& planes, const Box& box) {
      if (std::equal(box.count, box.count + space_dims, count_) && box.samples == samples_) return;
      std::copy(box.count, box.count + space_dims, count_);
      samples_ = box.samples;
      all_.clear();
      for (std::int64_t s = 0; s < samples_; ++s) find_some(planes, s);
    }
    const std::vector<Spot>& all() const { return all_; }

   private:
    void find_some(const Planes<float>& planes, std::int64_t sample) {
      const std::int64_t lines = count_[0] * count_[1];
      for (std::int64_t line = 0, x = 0; line < lines;) {
        const auto place = [&] {
          return planes.place(sample, line / count_[1], line % count_[1], x);
        };
        Spot spot{place(), sample, line * count_[2] + x};
        while (line < lines) {
          const std::int64_t lane = place() - spot.at;
          if (lane >= block_side) break;
          const std::int64_t some = smaller(count_[2] - x, block_side - lane);
          spot.kept |= static_cast<std::uint32_t>(((std::uint64_t{1} << some) - 1) << lane);
          x += some;
          if (x < count_[2]) break;
          x = 0;
          ++line;
        }
        all_.push_back(spot);
      }
    }

    std::vector<Spot> all_;
    std::int64_t count_[space_dims] = {}, samples_ = 0;
  };

  void multiply(const char* factors, const char* copies, std::int64_t group, std::int64_t row,
                const Box& box, const Spots& spots) const {
    const std::int64_t rows = smaller(of_.rows - row, block_side);
    const std::int64_t channel = product(of_.target.sizes);
    const BFloat16* const bias = of_.bias ? of_.bias + group * of_.rows + row : nullptr;
    const bool is_dense = of_.target.is_dense(of_.places);
    alignas(64) float sums[block_side * block_side];
    TileBlock block;
    block.sums = sums;
    block.a = factors;
    block.b_row = line_ * word;
    block.b_right = tile_row_bytes;
    block.b_places = steps_.data();
    block.steps = steps();
    for (const Spot& spot : spots.all()) {
      block.b = copies + spot.at * word;
      multiply_block(block, rows, std::bit_width(spot.kept), false);
      BFloat16* out = of_.target.data + (box.sample + spot.sample) * of_.target.sample_stride +
                      (group * of_.rows + row) * channel;
      const std::int64_t first = of_.first_place(box) + spot.first,
                         count = std::popcount(spot.kept);
      for (std::int64_t i = 0; i < rows; ++i, out += channel) {
        if (bias) add(sums + i * block_side, static_cast<float>(bias[i]));
        if (is_dense) {
          keep(out + first, sums + i * block_side, spot.kept);
        } else {
          BFloat16 kept[block_side];
          keep(kept, sums + i * block_side, spot.kept);
          of_.target.store(out, kept, of_.places, first, count);
        }
      }
    }
  }
  static void add(float* sums, float bias) {
    for (std::int64_t i = 0; i < block_side; ++i) sums[i] += bias;
  }
  /// Those of 32 sums that are kept, rounded, one after the other.
  [[gnu::target("avx512vbmi2")]] static void keep(BFloat16* to, const float* sums,
                                                  std::uint32_t kept) {
    alignas(64) BFloat16 rounded[block_side];
    narrow(rounded, sums, block_side);
    const auto some = static_cast<__mmask32>((std::uint64_t{1} << std::popcount(kept)) - 1);
    _mm512_mask_storeu_epi16(to, some,
                             _mm512_maskz_compress_epi16(kept, _mm512_load_si512(rounded)));
  }

  const TapProduct<BFloat16>& of_;
  std::int64_t pairs_, strips_;  // rows of a copy at a tap; tiles of channels
  Moved<float> words_;
  Axis axes_[space_dims];
  Cut cut_;
  Planes<float> planes_;
  std::int64_t line_;          // of a copy's row
  std::int64_t distance_ = 1;  // from a tap to that of the next shift
  std::vector<Taps> taps_;
  std::vector<std::int64_t> steps_;  // where they are in a copy, in bytes
};

#else

class AmxGathering {
 public:
  static bool suits(std::int64_t, std::int64_t, std::int64_t, std::int64_t, const View&) {
    return false;
  }
  explicit AmxGathering(const TapProduct<BFloat16>&) {}
  void run() const {}
};

#endif

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
