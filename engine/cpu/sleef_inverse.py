"""More elementary functions of float32 and float64: inverse and hyperbolic ones, and the complement of erf.

As in `sleef`, all are straight lines of code that compile to vectors, and the polynomials are near-minimax.
"""

import numpy as np

from .float_bits import copysign, fabs, fma, inlined, like, select, series
from .sleef import exp, expm1, log, log1p, within

# fmt: off
ATAN = (  # (atan(x) - x) / x**3 of x**2, abs(x) <= 1
    (-0.33333322, 0.19998682, -0.14257045, 0.10865759, -0.08009682, 0.04891432, -0.020026747, 0.0038667389),
    (-0.3333333333333322, 0.1999999999992541, -0.14285714277625347, 0.11111110761390158, -0.09090901065173868,
     0.07692194796762682, -0.06665606139255513, 0.05875316108940882, -0.05228866712258472, 0.046356337801607556,
     -0.03988674624636891, 0.03196224602018245, -0.022625914733081676, 0.013340509559735198, -0.006140137952849745,
     0.0020346672707838307, -0.0004271840973817534, 4.2384381094795104e-05),
)
ASIN = (  # (asin(x) - x) / x**3 of x**2, abs(x) <= 1 / 2
    (0.16666673, 0.07498855, 0.04500138, 0.026554542, 0.038085025),
    (0.1666666666666665, 0.07500000000020764, 0.044642857103423646, 0.03038194736709848, 0.02237204763174451,
     0.017355259955786323, 0.013929652902326633, 0.011875494382636922, 0.0078029494773533175, 0.01603551434914882,
     -0.010749050339697808, 0.028169218060881414),
)
LOG_ERFCX = (  # log(erfc(x) * e**(x**2) / t) of 2 * t - 1, t = 2 / (2 + x); the sum is 0: erfc(0) is 1
    (-0.671794070703051, 0.6726426199995184, 0.0473421625474192, -0.04688101424766948, -0.00986020283555987,
     0.008723067002287295, 0.0017244221986006815, -0.002051580018065556, -0.00015005011585740783,
     0.0003046310274),
    (-0.6717940840566923, 0.6726432239776644, 0.047343306841915164, -0.046895610232029435, -0.009872689366733415,
     0.008824938585240532, 0.0017589335581865513, -0.0023458129304814637, -0.00014624676804836974,
     0.0006736824459902962, -9.37364781929523e-05, -0.0001743218815026487, 7.141129199151893e-05,
     3.180810233221416e-05, -3.0230561211055828e-05, 1.648247064344744e-09, 8.673979328018982e-06,
     -2.759636636254216e-06, -1.4586016045055508e-06, 1.0945405171972212e-06, 2.804902813876521e-08,
     -1.897707778022335e-07, 3.039822611535227e-08, 6.865243015402858e-09),
)
# fmt: on
PI, HALF_PI = 3.141592653589793, 1.5707963267948966
HALF_PI_LOW = (-4.371138828673793e-08, 6.123233995736766e-17)


@inlined
def atan(x):
    """Return atan(x); for abs(x) > 1 it is pi/2 - atan(1 / x)."""
    size = fabs(x)
    is_large = size > like(x, 1)
    a = select(is_large, like(x, 1) / size, size)
    y = fma(a * a * a, series(a * a, ATAN), a)
    return copysign(select(is_large, like(x, HALF_PI) - (y - like(x, HALF_PI_LOW)), y), x)


@inlined
def asin_of_small(a, square):
    """Return asin(a), given a and its square, for 0 <= a <= 1/2."""
    return fma(a * square, series(square, ASIN), a)


@inlined
def asin(x):
    """Return asin(x); near 1 it is pi/2 - 2 * asin(sqrt((1 - x) / 2))."""
    size = fabs(x)
    is_large = size > like(x, 0.5)
    square = select(is_large, (like(x, 1) - size) * like(x, 0.5), x * x)
    y = asin_of_small(select(is_large, np.sqrt(square), size), square)
    far = like(x, HALF_PI) - (y + y - like(x, HALF_PI_LOW))
    return copysign(select(is_large, far, y), x)


@inlined
def acos(x):
    """Return acos(x) = pi/2 - asin(x); near 1 it is 2 * asin(sqrt((1 - x) / 2))."""
    size = fabs(x)
    is_large = size > like(x, 0.5)
    square = select(is_large, (like(x, 1) - size) * like(x, 0.5), x * x)
    y = asin_of_small(select(is_large, np.sqrt(square), size), square)
    far = select(x < like(x, 0), like(x, PI) - (y + y - like(x, HALF_PI_LOW) - like(x, HALF_PI_LOW)), y + y)
    return select(is_large, far, like(x, HALF_PI) - (copysign(y, x) - like(x, HALF_PI_LOW)))


@inlined
def sinh(x):
    """Return (e**x - e**-x) / 2; for large x, e**x is two factors, as it may overflow if the result does not."""
    size = fabs(x)
    y = expm1(size)
    near = like(x, 0.5) * (y + y / (y + like(x, 1)))
    half = exp(like(x, 0.5) * size)
    return copysign(select(size > like(x, 30), like(x, 0.5) * half * half, near), x)


@inlined
def cosh(x):
    """Return (e**x + e**-x) / 2."""
    half = exp(like(x, 0.5) * fabs(x))
    near = half * half
    return select(fabs(x) > like(x, 30), like(x, 0.5) * half * half, like(x, 0.5) * (near + like(x, 1) / near))


@inlined
def asinh(x):
    """Return log(x + sqrt(x**2 + 1)); for large abs(x), log(2 * abs(x)) with the sign of x."""
    size = fabs(x)
    square = size * size
    near = log1p(size + square / (like(x, 1) + np.sqrt(square + like(x, 1))))
    far = log(size) + like(x, 0.6931471805599453)
    return copysign(select(size > like(x, (2.0**12, 2.0**28)), far, near), x)


@inlined
def acosh(x):
    """Return log(x + sqrt(x**2 - 1)); log(2 * x) for large x, nan below 1."""
    a = select(x < like(x, 1), like(x, np.nan), x - like(x, 1))
    near = log1p(a + np.sqrt(a * (x + like(x, 1))))
    far = log(x) + like(x, 0.6931471805599453)
    return select(x > like(x, (2.0**12, 2.0**28)), far, near)


@inlined
def atanh(x):
    """Return log((1 + x) / (1 - x)) / 2."""
    size = fabs(x)
    return copysign(like(x, 0.5) * log1p((size + size) / (like(x, 1) - size)), x)


@inlined
def erfc(x):
    """Return 1 - erf(x) = t * e**(p(t) - x**2), t = 2 / (2 + x), for x >= 0; 2 - erfc(-x) for x < 0.

    What x**2 loses by being rounded is put back as a factor.
    """
    size = within(fabs(x), (0.0, 0.0), (11.0, 28.0))
    t = like(x, 2) / (like(x, 2) + size)
    square = size * size
    lost = fma(size, size, -square)
    power = exp(-square) * exp(series(t + t - like(x, 1), LOG_ERFCX))
    y = t * (power - power * lost)
    return select(x < like(x, 0), like(x, 2) - y, y)


@inlined
def logit(x):
    """Return log(x / (1 - x))."""
    return log(x / (like(x, 1) - x))
