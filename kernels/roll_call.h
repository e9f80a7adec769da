// The roll call of kernels: a line here gives a kernel its place in the table of every device. One
// that the CPU lacks does not link; one that CUDA lacks says so when it is called.
#pragma once

#include "csrc/core/type_list.h"
#include "kernels/arguments.h"
#include "kernels/index_arguments.h"
#include "kernels/linear_algebra.h"
#include "kernels/order_arguments.h"
#include "kernels/sequences.h"
#include "kernels/windows.h"

namespace garboard::kernels {

// clang-format off
using Kernels = TypeList<
    Copy,
    Fill,
    PositiveBits,
    WherePositive,
    AddProduct,
    Arange,
    BroughtSum,
    Variance,
    MaximumIndex,
    MinimumIndex,
    FourierTransform,
    CumulativeSum,
    CumulativeProduct,
    LogCumulativeSumExp,
    CumulativeMaximum,
    CumulativeMinimum,
    Softmax,
    SoftmaxGradient,
    LogSoftmax,
    LogSoftmaxGradient,
    CrossEntropy,
    CrossEntropyGradient,
    LayerNorm,
    LayerNormGradient,
    ChannelNorm,
    ChannelNormGradient,
    Matmul,
    Linear,
    RowDistances,
    RowDistancesGradient,
    Convolve,
    ConvolutionInputGradient,
    ConvolutionWeightGradient,
    MaxPool,
    PlaneScatter,
    PlaneGather,
    AveragePool,
    AveragePoolGradient,
    Resample,
    ResampleGradient,
    GridSample,
    GridSampleGradient,
    Attention,
    AttentionGradient,
    AttentionOfHalves,
    Recurrence,
    RecurrenceGradient,
    CtcLoss,
    CtcLossGradient,
    Uniform,
    Normal,
    Bernoulli,
    Integers,
    Gather,
    Scatter,
    IndexRange,
    IndexedPlaces,
    Bags,
    CountTrue,
    MaskedTake,
    MaskedPut,
    TruePlaces,
    Sort,
    Select,
    Mode,
    SearchSorted,
    Cholesky,
    LuFactor,
    LuPlaces,
    LuSolve,
    TriangularSolve,
    QrFactor,
    QrVectors,
    Eig,
    Eigh,
    Svd,
    AdamStep,
    SgdStep>;
// clang-format on

template <class Arguments>
concept OnRollCall = is_in<Arguments, Kernels>;

}  // namespace garboard::kernels
