"""Networks: modules, layers, losses, and how parameters start."""

from typing import TYPE_CHECKING

from garboard._hooks import RemovableHandle
from garboard._names.missing import module_getattr
from garboard.nn import functional, init, utils
from garboard.nn._activations.activations import (
    GELU,
    LogSoftmax,
    ReLU,
    Sigmoid,
    Softmax,
    Tanh,
)
from garboard.nn._activations.gates import (
    Hardsigmoid,
    Hardswish,
    LogSigmoid,
    Mish,
    SiLU,
    Softsign,
)
from garboard.nn._activations.rectifiers import (
    CELU,
    ELU,
    SELU,
    Hardshrink,
    Hardtanh,
    LeakyReLU,
    ReLU6,
    Softplus,
    Softshrink,
    Tanhshrink,
    Threshold,
)
from garboard.nn._convolutions.convolution import (
    Conv1d,
    Conv2d,
    Conv3d,
)
from garboard.nn._convolutions.transposed_convolution import (
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from garboard.nn._lazy_layers.lazy import (
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
    LazyLinear,
)
from garboard.nn._lazy_layers.lazy_norms import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
)
from garboard.nn._losses.adaptive_softmax import AdaptiveLogSoftmaxWithLoss
from garboard.nn._losses.distance_losses import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from garboard.nn._losses.linear_losses import LinearCrossEntropyLoss, LinearCrossEntropyOptions
from garboard.nn._losses.losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    NLLLoss2d,
    SmoothL1Loss,
)
from garboard.nn._losses.margin_losses import (
    GaussianNLLLoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    PoissonNLLLoss,
    SoftMarginLoss,
)
from garboard.nn._losses.sequence_losses import CTCLoss
from garboard.nn._module._state import StateDictError
from garboard.nn._norms.channel_norms import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from garboard.nn._norms.normalization import (
    CrossMapLRN2d,
    GroupNorm,
    LayerNorm,
    LocalResponseNorm,
    RMSNorm,
)
from garboard.nn._norms.synchronized import SyncBatchNorm
from garboard.nn._places.folds import (
    Fold,
    Unfold,
)
from garboard.nn._places.padding import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from garboard.nn._places.sampling import (
    ChannelShuffle,
    PixelShuffle,
    PixelUnshuffle,
    Upsample,
    UpsamplingBilinear2d,
    UpsamplingNearest2d,
)
from garboard.nn._places.slices import (
    GLU,
    CosineSimilarity,
    PairwiseDistance,
    PReLU,
    RReLU,
    Softmax2d,
    Softmin,
)
from garboard.nn._pools.adaptive_pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
)
from garboard.nn._pools.fractional_pooling import (
    FractionalMaxPool2d,
    FractionalMaxPool3d,
)
from garboard.nn._pools.pooling import (
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
)
from garboard.nn._pools.unpooling import (
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from garboard.nn._sequences.recurrent import (
    GRU,
    LSTM,
    RNN,
)
from garboard.nn._sequences.recurrent_cells import (
    GRUCell,
    LSTMCell,
    RNNCell,
)
from garboard.nn._sequences.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerEncoder,
)
from garboard.nn._sequences.transformer_layers import (
    TransformerDecoderLayer,
    TransformerEncoderLayer,
)
from garboard.nn._tables.embedding_bags import EmbeddingBag
from garboard.nn._tables.sparse import Embedding
from garboard.nn.attention import (
    MultiheadAttention,
)
from garboard.nn.bilinear import Bilinear
from garboard.nn.containers import (
    ModuleList,
    Sequential,
)
from garboard.nn.dropout import (
    AlphaDropout,
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    FeatureAlphaDropout,
)
from garboard.nn.flatten import (
    Flatten,
    Unflatten,
)
from garboard.nn.keyed import (
    ModuleDict,
    ParameterDict,
    ParameterList,
)
from garboard.nn.linear import (
    Identity,
    Linear,
)
from garboard.nn.module import (
    Module,
)
from garboard.nn.parameter import (
    Buffer,
    Parameter,
    UninitializedBuffer,
    UninitializedParameter,
)

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AlphaDropout",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Bilinear",
    "Buffer",
    "CTCLoss",
    "ChannelShuffle",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "CrossMapLRN2d",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Embedding",
    "EmbeddingBag",
    "FeatureAlphaDropout",
    "Flatten",
    "Fold",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "KLDivLoss",
    "L1Loss",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "LSTMCell",
    "LayerNorm",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
    "LeakyReLU",
    "Linear",
    "LinearCrossEntropyLoss",
    "LinearCrossEntropyOptions",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultiheadAttention",
    "NLLLoss",
    "NLLLoss2d",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RMSNorm",
    "RNNCell",
    "RReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "RemovableHandle",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "StateDictError",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "Unfold",
    "UninitializedBuffer",
    "UninitializedParameter",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "functional",
    "init",
    "utils",
]

if TYPE_CHECKING:
    from garboard.nn import attention as attention
    from garboard.nn import grad as grad
    from garboard.nn import modules as modules
    from garboard.nn import parallel as parallel
    from garboard.nn._sequences._layer import Recurrent as RNNBase  # noqa: F401
    from garboard.nn._sequences.recurrent_cells import _Cell as RNNCellBase  # noqa: F401
    from garboard.nn.parallel import DataParallel as DataParallel
else:
    __getattr__ = module_getattr(
        __name__,
        ("common_types", "grad", "modules", "parallel"),
        {"DataParallel": "parallel", "RNNBase": "modules.rnn", "RNNCellBase": "modules.rnn"},
    )
