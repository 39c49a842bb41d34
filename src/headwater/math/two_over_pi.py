"""The bits of 2 / pi after one word of zeros: `python -m validation.mathematics.constants` prints them."""

from __future__ import annotations

import numpy as np

WORDS_32 = np.array(
    [
        0x00000000,
        0xA2F9836E,
        0x4E441529,
        0xFC2757D1,
        0xF534DDC0,
        0xDB629599,
        0x3C439041,
        0xFE5163AB,
    ],
    np.uint32,
)
WORDS_64 = np.array(
    [
        0x0000000000000000,
        0xA2F9836E4E441529,
        0xFC2757D1F534DDC0,
        0xDB6295993C439041,
        0xFE5163ABDEBBC561,
        0xB7246E3A424DD2E0,
        0x06492EEA09D1921C,
        0xFE1DEB1CB129A73E,
        0xE88235F52EBB4484,
        0xE99C7026B45F7E41,
        0x3991D639835339F4,
        0x9C845F8BBDF9283B,
        0x1FF897FFDE05980F,
        0xEF2F118B5A0A6D1F,
        0x6D367ECF27CB09B7,
        0x4F463F669E5FEA2D,
        0x7527BAC7EBE5F17B,
        0x3D0739F78A5292EA,
        0x6BFB5FB11F8D5D08,
        0x56033046FC7B6BAB,
    ],
    np.uint64,
)
