"""The elementary functions of float32 and float64 by polynomials, in straight lines of code that compile to vectors.

The method is the same for all: the argument is reduced to a small r from which the rest is known exactly, a
polynomial in r gives the function there, and what is known is put back. A function that calls the C library would
take the elements one by one. Errors are 1 to 4 units in the last place, as in SLEEF, which PyTorch uses.
The polynomials are near-minimax: interpolations at Chebyshev points, in 300 bits.
"""

import numpy as np

from .float_bits import bits_of, copysign, fabs, fma, from_bits, inlined, like, select, series

# fmt: off
EXP = (  # (e**r - 1 - r) / r**2, abs(r) <= log(2) / 2
    (0.5, 0.16666576, 0.041666552, 0.008363233, 0.001392625),
    (0.5000000000000001, 0.16666666666666669, 0.041666666666623824, 0.008333333333330039, 0.0013888888917367081,
     0.00019841269863171557, 2.4801521057868204e-05, 2.7557268276905696e-06, 2.7620201591031547e-07,
     2.5100472505694996e-08),
)
EXP2 = (  # (2**r - 1) / r, abs(r) <= 1 / 2
    (0.6931472, 0.2402265, 0.05550357, 0.009618083, 0.0013390863, 0.00015453163),
    (0.6931471805599453, 0.24022650695910072, 0.055504108664821625, 0.00961812910762848, 0.001333355814640647,
     0.00015403530393370734, 1.5252733841556773e-05, 1.3215486808705563e-06, 1.0178057087733941e-07,
     7.0548973041554995e-09, 4.4558179083360645e-10, 2.5729324177362305e-11),
)
LOG = (  # (log((1 + s) / (1 - s)) - 2 * s) / s**3 of s**2, abs(s) <= 0.172
    (0.6666667, 0.40000126, 0.28550398, 0.23341943),
    (0.666666666666667, 0.3999999999989322, 0.28571428628810996, 0.22222210674238516, 0.18182922513515942,
     0.15330617306743305, 0.1463003136412286),
)
SIN = (  # (sin(r) - r) / r**3 of r**2, abs(r) <= pi / 4
    (-0.16666667, 0.008333332, -0.00019840083, 2.7249314e-06),
    (-0.16666666666666666, 0.008333333333333331, -0.00019841269841265017, 2.755731921930192e-06,
     -2.5052106219521895e-08, 1.6058529572267877e-10, -7.586576588171073e-13),
)
COS = (  # (cos(r) - 1 + r**2 / 2) / r**4 of r**2
    (0.041666668, -0.0013888888, 2.4800596e-05, -2.7300447e-07),
    (0.041666666666666664, -0.0013888888888888887, 2.4801587301584618e-05, -2.7557319221382114e-07,
     2.087675578389404e-09, -1.1470459749675607e-11, 4.745804889760674e-14),
)

ERF_OVER = (  # erf(x) / x = p(x**2) / q(x**2), abs(x) <= 4; this is p
    (1.1283791065216064, 0.19354507327079773, 0.05310175195336342, 0.0038833459839224815, 0.0002845662529580295,
     1.9867859464284265e-06),
    (),
)
ERF_UNDER = (  # and this q
    (1.0, 0.5048574209213257, 0.11535000801086426, 0.015207254327833652, 0.0011855722405016422,
     3.7420231819851324e-05),
    (),
)
ERF = (  # erf(x) / x of x**2, abs(x) <= 1
    (),
    (1.1283791670955126, -0.37612638903183543, 0.11283791670945006, -0.02686617064323777, 0.0052239776071164225,
     -0.0008548325975389692, 0.00012055294904839707, -1.492473690741966e-05, 1.6447424703317362e-06,
     -1.6208483801871705e-07, 1.3720064546777686e-08, -7.795898827002142e-10),
)
LOG_ERFC = (  # log(1 - erf(3.5 + u)), abs(u) <= 2.5
    (),
    (-14.112437402148174, -7.266099588365191, -0.9667530547422176, -0.005225658221939981, 0.000873687323545211,
     -0.00014729777489954873, 2.4386373823313104e-05, -3.889557155325179e-06, 5.856139032767791e-07,
     -8.069303240006965e-08, 9.532060947155006e-09, -7.74894938262315e-10, -2.5027567470717578e-11,
     3.065185473437961e-11, -9.09456815352739e-12, 2.0554075993038623e-12, -4.1568031971878565e-13,
     6.703248087615219e-14, -5.252994671634073e-15, 5.507869202468303e-16, -4.137506353844001e-16,
     1.8647709480120564e-17, 3.169997093543526e-17, -5.038175090820216e-18),
)

# each for (float32, float64)
MANTISSA = (23, 52)                           # bits after the point
BIAS = (127 << 23, 1023 << 52)                # the bits of 1.0
ROUNDER = (1.5 * 2.0**23, 1.5 * 2.0**52)      # x + ROUNDER - ROUNDER is x rounded; n + ROUNDER has n in its last bits
TINY = (2.0**-14, 2.0**-30)                   # f(x) = x below, to the last bit, for f(x) = x + O(x**3)
LOG2_E = 1.4426950408889634
LOG10_E = 0.4342944819032518
LN2_HIGH = (0.693147182464599609375, 0.6931471805599453)
LN2_LOW = (-1.9046542121259336e-09, 2.3190468138462996e-17)
LOG10_2_HIGH = (0.3010300099849701, 0.3010299956639812)
LOG10_2_LOW = (-1.4320988897559699e-08, -2.8037281277851704e-18)
SQRT_HALF = (0x3F3504F3, 0x3FE6A09E667F3BCD)  # its bits
LEAST_NORMAL = (2.0**-126, 2.0**-1022)
HALF_PI = (1.5707963705062866, 1.5707963267948966), (-4.371138828673793e-08, 6.123233995736766e-17), (
           -1.7151245100058819e-15, -1.4973849048591698e-33)
LARGE_ANGLE = (2.0**16, 2.0**27)              # where n * HALF_PI would need a fourth part
EXP_LEAST, EXP_MOST = (-104.0, -746.0), (89.0, 710.0)
# fmt: on


@inlined
def within(x, least, most):
    """Return x clamped to two bounds, each a pair for (float32, float64); nan stays nan."""
    x = select(x < like(x, least), like(x, least), x)
    return select(x > like(x, most), like(x, most), x)


@inlined
def rounded(x):
    """Return (n, n + ROUNDER), n being x rounded to a whole number below 2**22 for float32, 2**51 for float64."""
    shifted = x + like(x, ROUNDER)
    return shifted - like(x, ROUNDER), shifted


@inlined
def power_of_two(shifted):
    """Return 2**n, given n + ROUNDER; 2**n must be a normal number."""
    bits = bits_of(shifted)
    return from_bits((bits << like(bits, MANTISSA)) + like(bits, BIAS), shifted)


@inlined
def times_power_of_two(x, n):
    """Return x * 2**n for whole n, in two steps because 2**n alone may overflow or underflow."""
    half, shifted = rounded(n * like(n, 0.5))
    return x * power_of_two(shifted) * power_of_two(n - half + like(n, ROUNDER))


@inlined
def reduce_exp(x):
    """Return (n, r) with x = n * log(2) + r, n whole, abs(r) <= log(2) / 2; n * LN2_HIGH cancels exactly."""
    n = fma(x, like(x, LOG2_E), like(x, ROUNDER)) - like(x, ROUNDER)
    return n, fma(n, -like(x, LN2_LOW), fma(n, -like(x, LN2_HIGH), x))


@inlined
def exp(x):
    """Return e**x."""
    n, r = reduce_exp(within(x, EXP_LEAST, EXP_MOST))
    return times_power_of_two(like(x, 1) + fma(r * r, series(r, EXP), r), n)


@inlined
def exp2(x):
    """Return 2**x."""
    x = within(x, (-151.0, -1076.0), (129.0, 1025.0))
    n, _ = rounded(x)
    return times_power_of_two(fma(x - n, series(x - n, EXP2), like(x, 1)), n)


@inlined
def expm1(x):
    """Return e**x - 1 = 2**n * (e**r - 1) + (2**n - 1), with both terms halved because 2**n may overflow."""
    n, r = reduce_exp(within(x, (-50.0, -50.0), EXP_MOST))
    half = power_of_two(n - like(x, 1) + like(x, ROUNDER))
    y = fma(half, fma(r * r, series(r, EXP), r), half - like(x, 0.5)) * like(x, 2)
    return select(fabs(x) < like(x, (2.0**-26, 2.0**-55)), x, y)


# ---- logarithms


@inlined
def split_exponent(x):
    """Return (k, m) with x = 2**k * m, m between sqrt(1/2) and sqrt(2), k an integer; x is positive and normal."""
    bits = bits_of(x)
    k = like(bits, like(bits, bits - like(bits, SQRT_HALF)) >> like(bits, MANTISSA))
    return k, from_bits(bits - (k << like(bits, MANTISSA)), x)


@inlined
def float_of_whole(k, x):
    """Return a small integer as a float of the dtype of x."""
    return from_bits(k + bits_of(like(x, ROUNDER)), x) - like(x, ROUNDER)


@inlined
def split_logarithm(x):
    """Return (k, m) as `split_exponent` does, for any positive number; k is a float."""
    is_denormal = x < like(x, LEAST_NORMAL)
    k, m = split_exponent(select(is_denormal, x * like(x, (2.0**25, 2.0**54)), x))
    k = float_of_whole(k, x)
    return select(is_denormal, k - like(x, (25.0, 54.0)), k), m


@inlined
def log_of_one_plus(f, k, high, low):
    """Return k * (high + low) + log(1 + f), f between sqrt(1/2) - 1 and sqrt(2) - 1.

    With s = f / (2 + f) it is log(1 + f) = f - f**2 / 2 + s * (f**2 / 2 + s**2 * p(s**2)), as in fdlibm.
    """
    s = f / (like(f, 2) + f)
    square, half = s * s, like(f, 0.5) * f * f
    rest = fma(s, fma(square, series(square, LOG), half), k * low)
    return fma(k, high, f - (half - rest))


@inlined
def of_positive(x, y):
    """Return y, the logarithm of x, if x is positive and finite; -infinity for 0, infinity for infinity, else nan."""
    y = select(x > like(x, 0), y, select(x == like(x, 0), like(x, -np.inf), like(x, np.nan)))
    return select(x == like(x, np.inf), x, y)


@inlined
def log(x):
    """Return the natural logarithm of x."""
    k, m = split_logarithm(x)
    return of_positive(x, log_of_one_plus(m - like(x, 1), k, like(x, LN2_HIGH), like(x, LN2_LOW)))


@inlined
def log2(x):
    """Return the base-2 logarithm of x."""
    k, m = split_logarithm(x)
    y = log_of_one_plus(m - like(x, 1), like(x, 0), like(x, 0), like(x, 0))
    return of_positive(x, fma(y, like(x, LOG2_E), k))


@inlined
def log10(x):
    """Return the base-10 logarithm of x."""
    k, m = split_logarithm(x)
    y = log_of_one_plus(m - like(x, 1), like(x, 0), like(x, 0), like(x, 0))
    low = fma(y, like(x, LOG10_E), k * like(x, LOG10_2_LOW))
    return of_positive(x, fma(k, like(x, LOG10_2_HIGH), low))


@inlined
def log1p(x):
    """Return log(1 + x), with the rounding error of 1 + x added to the reduced argument."""
    one = like(x, 1)
    u = one + x
    part = u - one
    lost = (one - (u - part)) + (x - part)
    k, m = split_exponent(u)
    scale = from_bits(like(k, BIAS) - (k << like(k, MANTISSA)), x)
    f = m - one + select(u < like(x, (2.0**60, 2.0**120)), lost * scale, like(x, 0))
    y = log_of_one_plus(f, float_of_whole(k, x), like(x, LN2_HIGH), like(x, LN2_LOW))
    y = of_positive(u, y)
    return select(fabs(x) < like(x, (2.0**-26, 2.0**-55)), x, y)


# ---- trigonometric functions


@inlined
def reduce_trigonometric(x):
    """Return (quadrant, r) with x = n * pi/2 + r and abs(r) <= pi/4; n and `quadrant` have the same last two bits.

    pi/2 is the sum of three floats, so that r has all its bits up to abs(x) = LARGE_ANGLE.
    """
    shifted = fma(x, like(x, 2 / np.pi), like(x, ROUNDER))
    n = shifted - like(x, ROUNDER)
    r = fma(n, -like(x, HALF_PI[0]), x)
    r = fma(n, -like(x, HALF_PI[1]), r)
    return bits_of(shifted), fma(n, -like(x, HALF_PI[2]), r)


@inlined
def sin_and_cos(r):
    """Return (sin(r), cos(r)) for abs(r) <= pi/4."""
    square = r * r
    sine = fma(square * r, series(square, SIN), r)
    return sine, fma(square * square, series(square, COS), fma(square, like(r, -0.5), like(r, 1)))


@inlined
def negated_if(x, bit):
    """Return -x if the last bit of `bit` is 1, else x."""
    bits = bits_of(x)
    return from_bits(bits ^ (bit << like(bits, (31, 63))), x)


@inlined
def sin(x):
    """Return sin(x) for abs(x) < LARGE_ANGLE."""
    quadrant, r = reduce_trigonometric(x)
    sine, cosine = sin_and_cos(r)
    y = negated_if(select(quadrant & 1 != 0, cosine, sine), quadrant >> 1)
    return select(fabs(x) < like(x, TINY), x, y)


@inlined
def cos(x):
    """Return cos(x) for abs(x) < LARGE_ANGLE."""
    quadrant, r = reduce_trigonometric(x)
    sine, cosine = sin_and_cos(r)
    return negated_if(select(quadrant & 1 != 0, sine, cosine), (quadrant + 1) >> 1)


@inlined
def tan(x):
    """Return tan(x) for abs(x) < LARGE_ANGLE."""
    quadrant, r = reduce_trigonometric(x)
    sine, cosine = sin_and_cos(r)
    is_odd = quadrant & 1 != 0
    y = negated_if(select(is_odd, cosine, sine) / select(is_odd, sine, cosine), quadrant)
    return select(fabs(x) < like(x, TINY), x, y)


# ---- functions of exp


@inlined
def sigmoid(x):
    """Return 1 / (1 + e**-x)."""
    return like(x, 1) / (like(x, 1) + exp(-x))


@inlined
def tanh(x):
    """Return tanh(x) = (e**(2 * x) - 1) / (e**(2 * x) + 1)."""
    y = expm1(within(x + x, (-44.0, -44.0), (44.0, 44.0)))
    return y / (y + like(x, 2))


@inlined
def erf_float32(x):
    """Return erf(x) = x * p(x**2) / q(x**2), with x clamped to -4..4, beyond which erf(x) rounds to 1 or -1."""
    x = within(x, (-4.0, -4.0), (4.0, 4.0))
    square = x * x
    return within(x * series(square, ERF_OVER) / series(square, ERF_UNDER), (-1.0, -1.0), (1.0, 1.0))


@inlined
def erf_float64(x):
    """Return erf(x) = x * p(x**2) if abs(x) < 1, else 1 - e**p(abs(x)) with the sign of x."""
    size = fabs(x)
    near = x * series(x * x, ERF)
    far = exp(series(within(size, (0.0, 0.0), (6.0, 6.0)) - like(x, 3.5), LOG_ERFC))
    return select(size < like(x, 1), near, copysign(like(x, 1) - far, x))
