"""a * b + c with one rounding, where the device's own `fma` has two.

Whether it has is measured. float32 goes by float64: the product is exact there, and the sum is rounded to odd, so that
the second rounding is right (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). float64, and
float32 on devices without it, go by integers of two words, as in Hauser's SoftFloat.
"""

from __future__ import annotations

from string import Template

from headwater.emit import Helper


def helpers(wide: bool) -> dict[str, Helper]:
    """The functions `fma_f32` and `fma_f64`; `wide` says that there are float64 and int64."""
    double, single = _by_integers("f64"), _by_integers("f32")
    made = {
        "sum_to_odd": Helper(_SUM_TO_ODD, ("exact_f64", "hidden_f64")),
        "fma_f32": Helper(_BY_FLOAT64, ("sum_to_odd", "exact_f32")),
        "fma_f64": Helper(double, ("mulhi_u64", "clz_u64", "bits_f64", "exact_f64", "hidden_f64")),
    }
    if not wide:
        made["fma_f32"] = Helper(single, ("mulhi_u32", "bits_f32", "exact_f32", "hidden_f32"))
    return made


_SUM_TO_ODD = """\
fn hw_sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = hw_exact_f64(hw_hidden_f64(a) + b);
    let second = hw_exact_f64(hw_hidden_f64(sum) - a);
    let first = hw_exact_f64(hw_hidden_f64(sum) - second);
    let first_rest = hw_exact_f64(hw_hidden_f64(a) - first);
    let second_rest = hw_exact_f64(hw_hidden_f64(b) - second);
    let rest = hw_exact_f64(hw_hidden_f64(first_rest) + second_rest);
    let bits = bitcast<u64>(sum);
    let special = (bits & 0x7ff0000000000000lu) == 0x7ff0000000000000lu;
    if (special || (bits & 1lu) == 1lu || rest == 0.0lf) {
        return sum;
    }
    return bitcast<f64>(select(bits - 1lu, bits + 1lu, (rest > 0.0lf) == (sum > 0.0lf)));
}"""

_BY_FLOAT64 = """\
fn hw_fma_f32(a: f32, b: f32, c: f32) -> f32 {
    return hw_exact_f32(f32(hw_sum_to_odd(f64(a) * f64(b), f64(c))));
}"""


def _by_integers(kind: str) -> str:
    width, fraction = (64, 52) if kind == "f64" else (32, 23)
    word, suffix = ("u64", "lu") if kind == "f64" else ("u32", "u")
    spare = width - 1 - fraction  # bits of the exponent, and of a word below the fraction
    largest = (1 << spare) - 1
    parts: dict[str, str | int] = {
        "float": kind,
        "word": word,
        "zero": f"0{suffix}",
        "one": f"1{suffix}",
        "zeros": "u32(hw_clz_u64(x))" if kind == "f64" else "countLeadingZeros(x)",
        "width": width,
        "last": width - 1,
        "double": 2 * width,
        "fraction": fraction,
        "sign": f"{1 << (width - 1)}{suffix}",
        "implicit": f"{1 << fraction}{suffix}",
        "fractions": f"{(1 << fraction) - 1}{suffix}",
        "infinite": f"{largest << fraction}{suffix}",
        "largest": largest,
        "bias": largest >> 1,
        "spare": spare,
        "spares": f"{(1 << spare) - 1}{suffix}",
        "half": f"{1 << (spare - 1)}{suffix}",
    }
    return Template(_BY_INTEGERS).substitute(parts)


# A number is `size` * 2**(exponent - last), the highest bit of `size` set. The product and c lie in pairs of words,
# with a free bit at the top for the carry; what is shifted out stays as the lowest bit.
_BY_INTEGERS = """\
struct Number_$word {
    size: $word,
    exponent: i32,
}
struct Pair_$word {
    high: $word,
    low: $word,
}
fn hw_zeros_$word(x: $word) -> i32 {
    return i32($zeros);
}
fn hw_number_$word(bits: $word) -> Number_$word {
    let field = i32((bits & $infinite) >> ${fraction}u);
    let size = select((bits & $fractions) | $implicit, bits & $fractions, field == 0i);
    let shift = hw_zeros_$word(size);
    let exponent = max(field, 1i) - ${bias}i + ${spare}i - shift;
    return Number_$word(size << (u32(shift) & ${last}u), exponent);
}
fn hw_shifted_$word(x: Pair_$word, count: i32) -> Pair_$word {
    if (count <= 0i) {
        return x;
    }
    let by = u32(min(count, ${double}i));
    let right = by & ${last}u;
    var high = x.high;
    var low = x.low;
    var lost = $zero;
    if (by >= ${width}u) {
        lost = low;
        low = high;
        high = $zero;
    }
    if (by == ${double}u) {
        lost = lost | low;
        low = $zero;
    }
    if (right != 0u) {
        lost = lost | (low << (${width}u - right));
        low = (low >> right) | (high << (${width}u - right));
        high = high >> right;
    }
    return Pair_$word(high, low | select($zero, $one, lost != $zero));
}
fn hw_rounded_$word(x: Pair_$word, exponent: i32) -> $word {
    let zeros = select(hw_zeros_$word(x.high), ${width}i + hw_zeros_$word(x.low), x.high == $zero);
    let left = u32(zeros) & ${last}u;
    var high = select(x.high, x.low, x.high == $zero);
    var low = select(x.low, $zero, x.high == $zero);
    if (left != 0u) {
        high = (high << left) | (low >> (${width}u - left));
        low = low << left;
    }
    let field = exponent + ${bias}i - zeros;
    if (field >= ${largest}i) {
        return $infinite;
    }
    let kept = hw_shifted_$word(Pair_$word(high, low), 1i - field);
    let sticky = kept.high | select($zero, $one, kept.low != $zero);
    let whole = ($word(max(field, 1i) - 1i) << ${fraction}u) + (sticky >> ${spare}u);
    let rest = sticky & $spares;
    let up = rest > $half || (rest == $half && (whole & $one) == $one);
    return whole + select($zero, $one, up);
}
fn hw_fma_$float(a: $float, b: $float, c: $float) -> $float {
    let a_bits = hw_bits_$float(a);
    let b_bits = hw_bits_$float(b);
    let c_bits = hw_bits_$float(c);
    let finite = (a_bits & $infinite) != $infinite && (b_bits & $infinite) != $infinite;
    if (finite && (c_bits & $infinite) == $infinite) {
        return c;
    }
    if (!finite || ((a_bits << 1u) == $zero) || ((b_bits << 1u) == $zero)) {
        let product = hw_exact_$float(hw_hidden_$float(a) * b);
        return hw_exact_$float(hw_hidden_$float(product) + c);
    }
    let x = hw_number_$word(a_bits);
    let y = hw_number_$word(b_bits);
    let z = hw_number_$word(c_bits);
    let high = hw_mulhi_$word(x.size, y.size);
    let low = x.size * y.size;
    let whole = Pair_$word(high >> 1u, (low >> 1u) | (high << ${last}u));
    let distance = x.exponent + y.exponent - (z.exponent - 1i);
    let p = hw_shifted_$word(whole, -distance);
    let q = hw_shifted_$word(Pair_$word(z.size >> 1u, $zero), distance);
    let exponent = x.exponent + y.exponent - min(distance, 0i) + 2i;
    let sign = (a_bits ^ b_bits) & $sign;
    if (sign == (c_bits & $sign)) {
        let sum = p.low + q.low;
        let carry = select($zero, $one, sum < p.low);
        let total = Pair_$word(p.high + q.high + carry, sum);
        return bitcast<$float>(sign | hw_rounded_$word(total, exponent));
    }
    if (p.high == q.high && p.low == q.low) {
        return bitcast<$float>($zero);
    }
    if (p.high > q.high || (p.high == q.high && p.low > q.low)) {
        let borrow = select($zero, $one, p.low < q.low);
        let rest = Pair_$word(p.high - q.high - borrow, p.low - q.low);
        return bitcast<$float>(sign | hw_rounded_$word(rest, exponent));
    }
    let borrow = select($zero, $one, q.low < p.low);
    let rest = Pair_$word(q.high - p.high - borrow, q.low - p.low);
    return bitcast<$float>((sign ^ $sign) | hw_rounded_$word(rest, exponent));
}"""
