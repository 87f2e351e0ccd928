"""log, sin and cos of float32 by polynomials, in loops that compile to vectors.

Cephes (S. Moshier, netlib.org/cephes), whose single-precision functions these are, is also what PyTorch's CPU kernels
use for normal values; the same polynomials with the same roundings give the same bits.
Mirrors aten/src/ATen/native/cpu/avx_mathfun.h.
"""

import numpy as np
from numba import njit

from .float_bits import bits_of, fma, from_bits


@njit(nogil=True, error_model="numpy")
def log(x):
    """Return log(x) of a positive, normal float32, by the polynomial of Cephes's logf.

    x = 2**e * (1 + r) with 1 + r in [sqrt(1/2), sqrt(2)), so log(x) = e * log(2) + r - r**2 / 2 + r**3 * p(r);
    log(2) is split in two, the first part exact in few bits, so that e times it is exact.
    """
    bits = bits_of(x)
    e = np.float32((bits >> np.int32(23)) - np.int32(126))
    fraction = from_bits((bits & np.int32(0x7FFFFF)) | np.int32(0x3F000000), x)  # [0.5, 1)
    below = fraction < np.float32(0.707106781186547524)
    e = e - np.float32(1) if below else e
    r = fraction - np.float32(1) + (fraction if below else np.float32(0))
    square = r * r
    p = fma(np.float32(7.0376836292e-2), r, np.float32(-1.1514610310e-1))
    p = fma(p, r, np.float32(1.1676998740e-1))
    p = fma(p, r, np.float32(-1.2420140846e-1))
    p = fma(p, r, np.float32(1.4249322787e-1))
    p = fma(p, r, np.float32(-1.6668057665e-1))
    p = fma(p, r, np.float32(2.0000714765e-1))
    p = fma(p, r, np.float32(-2.4999993993e-1))
    p = fma(p, r, np.float32(3.3333331174e-1))
    tail = fma(p * r, square, e * np.float32(-2.12194440e-4))
    tail = fma(square, np.float32(-0.5), tail)
    return fma(e, np.float32(0.693359375), r + tail)


@njit(nogil=True, error_model="numpy")
def sin_cos(x):
    """Return (sin(x), cos(x)) of a small, nonnegative float32, by the polynomials of Cephes's sinf and cosf.

    x = j * pi/4 + r with j even and abs(r) <= pi/4; j says which of +-sin(r), +-cos(r) the two are. pi/4 is split
    in three, so that j times the first parts is exact.
    """
    j = (np.int32(x * np.float32(1.27323954473516)) + np.int32(1)) & np.int32(-2)
    y = np.float32(j)
    r = fma(y, np.float32(-0.78515625), x)
    r = fma(y, np.float32(-2.4187564849853515625e-4), r)
    r = fma(y, np.float32(-3.77489497744594108e-8), r)
    square = r * r
    c = fma(np.float32(2.443315711809948e-5), square, np.float32(-1.388731625493765e-3))
    c = fma(c, square, np.float32(4.166664568298827e-2))
    c = fma(c * square, square, square * np.float32(-0.5)) + np.float32(1)
    s = fma(np.float32(-1.9515295891e-4), square, np.float32(8.3321608736e-3))
    s = fma(s, square, np.float32(-1.6666654611e-1))
    s = fma(s * square, r, r)
    quarter = (j & np.int32(2)) != 0
    sine = c if quarter else s
    cosine = s if quarter else c
    return -sine if j & np.int32(4) else sine, cosine if (j - np.int32(2)) & np.int32(4) else -cosine
