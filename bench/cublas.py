"""cublasSgemm through ctypes: what the engine's product is measured beside, without another package."""

import ctypes
from typing import Any

NO_TRANSPOSE = 0  # CUBLAS_OP_N


class CuBLASNotFound(Exception):
    """The library is not installed, or finds no GPU."""


class CuBLAS:
    """A handle of cuBLAS in its default mode, which computes float32 in float32 (no TF32).

    Raises:
        CuBLASNotFound: there is no library, and `pip install nvidia-cublas-cu12` brings one; or it finds no GPU.
    """

    def __init__(self) -> None:
        self.library = ctypes.CDLL(find_library())
        self.handle = ctypes.c_void_p()
        if status := self.library.cublasCreate_v2(ctypes.byref(self.handle)):
            raise CuBLASNotFound(f"cuBLAS is installed and does not start (status {status}): it finds no GPU")

    def sgemm(self, a: int, b: int, c: int, m: int, n: int, k: int) -> None:
        """c = a @ b of dense row-major float32 matrices m x k, k x n, by their addresses; on the default stream.

        cuBLAS is column-major: what it sees are the transposed matrices, of which it makes c.T = b.T @ a.T.
        """
        one, zero = ctypes.c_float(1.0), ctypes.c_float(0.0)
        address = ctypes.c_void_p
        self._check(
            self.library.cublasSgemm_v2(
                self.handle,
                NO_TRANSPOSE,
                NO_TRANSPOSE,
                n,
                m,
                k,
                ctypes.byref(one),
                address(b),
                n,
                address(a),
                k,
                ctypes.byref(zero),
                address(c),
                n,
            )  # fmt: skip
        )

    @staticmethod
    def _check(status: int) -> None:
        if status:
            raise RuntimeError(f"cuBLAS returned status {status}")


def find_library() -> str:
    """Where the library is: as NVIDIA's own finder has it, which looks into wheels and toolkits.

    Raises:
        CuBLASNotFound: nowhere.
    """
    try:
        from cuda import pathfinder  # comes with numba-cuda
    except ImportError as error:
        raise CuBLASNotFound("cuda-pathfinder, which comes with numba-cuda, is not installed") from error
    finder: Any = pathfinder
    try:
        return finder.load_nvidia_dynamic_lib("cublas").abs_path
    except finder.DynamicLibNotFoundError as error:
        raise CuBLASNotFound(str(error).partition("\n")[0]) from error
