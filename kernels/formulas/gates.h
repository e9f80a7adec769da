// What the gates of recurrent layers make of one element, and their gradients.
#pragma once

#include "kernels/functors/scalar_math.h"

namespace garboard::kernels {

/// Of what each gate was given, and of the cell before; `d` is the gradient for the hidden state,
/// `d_cell` that for the cell.
template <functors::Real T>
struct LstmSlopes {
  T input, forget, candidate, output, cell;
};
template <functors::Real T>
struct LstmGates {
  T input, forget, candidate, output;  // what they let by

  GARBOARD_HD T cell(T before) const { return forget * before + input * candidate; }
  GARBOARD_HD T state(T cell) const { return output * functors::tanh(cell); }

  GARBOARD_HD LstmSlopes<T> slopes(T d, T d_cell, T cell, T before) const {
    const T state = functors::tanh(cell);
    const T d_whole = d_cell + d * output * (1 - state * state);
    return {d_whole * candidate * input * (1 - input), d_whole * before * forget * (1 - forget),
            d_whole * input * (1 - candidate * candidate), d * state * output * (1 - output),
            d_whole * forget};
  }
};

/// Of what each gate was given, of what the state adds to the candidate, and of the state before,
/// beside what reaches it through the product.
template <functors::Real T>
struct GruSlopes {
  T reset, update, candidate, added, state;
};
template <functors::Real T>
struct GruGates {
  T reset, update, candidate;

  GARBOARD_HD T state(T before) const { return (1 - update) * candidate + update * before; }

  /// `added` is what the state added to the candidate.
  GARBOARD_HD GruSlopes<T> slopes(T d, T added, T before) const {
    const T d_candidate = d * (1 - update) * (1 - candidate * candidate);
    return {d_candidate * added * reset * (1 - reset),
            d * (before - candidate) * update * (1 - update), d_candidate, d_candidate * reset,
            d * update};
  }
};

}  // namespace garboard::kernels
