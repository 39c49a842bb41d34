"""The constants of `headwater.math` that are split into parts, and the bits of 2 / pi.

    python -m validation.mathematics.constants

Each value is printed as parts that add up to it; a first part of few bits keeps its products with integers exact.
"""

from __future__ import annotations

import mpmath as mp
from validation.mathematics.remez import rounded, text

mp.mp.dps = 500

VALUES: dict[str, tuple[mp.mpf, tuple[int, ...], tuple[int, ...]]] = {
    "pi / 2": (mp.pi / 2, (24, 24, 24), (53, 53, 53)),
    "pi": (+mp.pi, (24, 24), (53, 53)),
    "1 / pi": (1 / mp.pi, (24, 24), (53, 53)),
    "2 / pi": (2 / mp.pi, (24,), (53,)),
    "log 2": (mp.log(2), (24, 24), (53, 53)),
    "log 2, for n log 2": (mp.log(2), (16, 24), (42, 53)),
    "log10 2, for n log10 2": (mp.log10(2), (16, 24), (42, 53)),
    "log2 e": (1 / mp.log(2), (24, 24), (53, 53)),
    "2 log2 e": (2 / mp.log(2), (24, 24), (53, 53)),
    "log10 e": (1 / mp.log(10), (24, 24), (53, 53)),
    "log2 10": (mp.log(10, 2), (24,), (53,)),
    "log2 sqrt(2 pi)": (mp.log(mp.sqrt(2 * mp.pi), 2), (24, 24), (53, 53)),
    "pi / 2 * 2**-24": (mp.ldexp(mp.pi / 2, -24), (24, 24), ()),
    "pi / 2 * 2**-56": (mp.ldexp(mp.pi / 2, -56), (24,), ()),
    "pi / 2 * 2**-54": (mp.ldexp(mp.pi / 2, -54), (), (53, 53)),
    "pi / 2 * 2**-118": (mp.ldexp(mp.pi / 2, -118), (), (53,)),
}


def parts(value: mp.mpf, bits: tuple[int, ...], kind: str) -> list[str]:
    """Parts with these numbers of bits, each nearest to what the ones before leave."""
    found = []
    for count in bits:
        found.append(rounded(value, count))
        value -= found[-1]
    return [text(part, kind) for part in found]


def words_of_two_over_pi(bits: int, count: int) -> list[int]:
    """The first `count` words of the fraction 2 / pi."""
    scaled = int(mp.floor(mp.ldexp(2 / mp.pi, bits * count)))
    return [(scaled >> (bits * (count - 1 - k))) & ((1 << bits) - 1) for k in range(count)]


def main() -> None:
    """Print all."""
    for name, (value, single, double) in VALUES.items():
        for kind, bits in (("float32", single), ("float64", double)):
            if bits:
                print(f"{name} in {kind}: {' + '.join(parts(value, bits, kind))}")
    for bits, count in ((32, 7), (64, 19)):
        print(f"2 / pi in words of {bits} bits:")
        print(
            *(f"    0x{word:0{bits // 4}X}" for word in words_of_two_over_pi(bits, count)), sep="\n"
        )


if __name__ == "__main__":
    main()
