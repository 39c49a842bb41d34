"""Kernel types: scalars, small vectors, arrays, structs, and the promotion table."""

from headwater.types.aggregates import ArgumentType as ArgumentType
from headwater.types.aggregates import ArrayType as ArrayType
from headwater.types.aggregates import ConstantType as ConstantType
from headwater.types.aggregates import GridType as GridType
from headwater.types.aggregates import StructType as StructType
from headwater.types.aggregates import Vec3 as Vec3
from headwater.types.aggregates import VectorType as VectorType
from headwater.types.promotion import join as join
from headwater.types.scalars import BOOL as BOOL
from headwater.types.scalars import FLOAT32 as FLOAT32
from headwater.types.scalars import FLOAT64 as FLOAT64
from headwater.types.scalars import INT32 as INT32
from headwater.types.scalars import INT64 as INT64
from headwater.types.scalars import SCALARS as SCALARS
from headwater.types.scalars import UINT32 as UINT32
from headwater.types.scalars import WEAK_FLOAT as WEAK_FLOAT
from headwater.types.scalars import WEAK_INT as WEAK_INT
from headwater.types.scalars import ScalarType as ScalarType
from headwater.types.scalars import from_numpy as from_numpy
