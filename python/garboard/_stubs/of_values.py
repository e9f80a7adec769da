"""The part of the stub about sizes, dtypes and devices.

`int`, `float` and `bool` are the builtins here, as in `_stubs/by_hand.py`.
"""

__all__ = ["VALUES"]

VALUES = """\
@final
class _Size(tuple[int, ...]):
    def __new__(cls, sizes: Iterable[int] = ()) -> Self: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, key: slice, /) -> _Size: ...
    @overload
    def __add__(self, other: tuple[int, ...], /) -> _Size: ...
    @overload
    def __add__(self, other: tuple[_Item, ...], /) -> tuple[int | _Item, ...]: ...
    @overload
    def __radd__(self, other: tuple[int, ...], /) -> _Size: ...
    @overload
    def __radd__(self, other: tuple[_Item, ...], /) -> tuple[int | _Item, ...]: ...
    def __mul__(self, times: SupportsIndex, /) -> _Size: ...
    def __rmul__(self, times: SupportsIndex, /) -> _Size: ...
    def numel(self) -> int: ...

@final
class dtype:
    @property
    def itemsize(self) -> int: ...
    @property
    def is_complex(self) -> bool: ...
    @property
    def is_signed(self) -> bool: ...
    @property
    def is_floating_point(self) -> bool: ...
    def to_complex(self) -> dtype: ...
    def to_real(self) -> dtype: ...

class device:
    def __new__(cls, type: Device | int, index: int | None = None) -> Self: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type_of[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    @property
    def type(self) -> str: ...
    @property
    def index(self) -> int | None: ...

_dtype = dtype  # Tensor has properties of these names
_device = device

bool: Final[dtype]
uint8: Final[dtype]
int8: Final[dtype]
int16: Final[dtype]
int32: Final[dtype]
int64: Final[dtype]
float16: Final[dtype]
bfloat16: Final[dtype]
float32: Final[dtype]
float64: Final[dtype]
complex64: Final[dtype]
complex128: Final[dtype]
short: Final[dtype]
int: Final[dtype]
long: Final[dtype]
half: Final[dtype]
float: Final[dtype]
double: Final[dtype]
cfloat: Final[dtype]
cdouble: Final[dtype]
"""
