// Doubles in whole numbers: a device need have none of its own, and what it does with floats doesn't matter.
// A number is (-1)^sign * size * 2^power; its size has 53 bits, bit 52 set, or is 0. Pairs of words are (low, high).
struct Double { size: vec2<u32>, power: i32, sign: u32 }

fn plus(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + u32(low < a.x));
}
fn minus(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return vec2<u32>(a.x - b.x, a.y - b.y - u32(a.x < b.x)); }
fn negated(a: vec2<u32>) -> vec2<u32> { return minus(vec2<u32>(0u, 0u), a); }
fn below(a: vec2<u32>, b: vec2<u32>) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }
fn is_none(a: vec2<u32>) -> bool { return (a.x | a.y) == 0u; }
fn raised(a: vec2<u32>, n: u32) -> vec2<u32> {
    if (n == 0u) { return a; }
    if (n >= 64u) { return vec2<u32>(0u, 0u); }
    if (n >= 32u) { return vec2<u32>(0u, a.x << (n - 32u)); }
    return vec2<u32>(a.x << n, (a.y << n) | (a.x >> (32u - n)));
}
fn lowered(a: vec2<u32>, n: u32) -> vec2<u32> {
    if (n == 0u) { return a; }
    if (n >= 64u) { return vec2<u32>(0u, 0u); }
    if (n >= 32u) { return vec2<u32>(a.y >> (n - 32u), 0u); }
    return vec2<u32>((a.x >> n) | (a.y << (32u - n)), a.y >> n);
}
// Lowered; the last bit stands for all that fell off, too.
fn squeezed(a: vec2<u32>, n: u32) -> vec2<u32> {
    let left = lowered(a, n);
    let back = raised(left, n);
    return vec2<u32>(left.x | u32(back.x != a.x || back.y != a.y), left.y);
}
fn bits_of(a: vec2<u32>) -> u32 { return select(32u - countLeadingZeros(a.x), 64u - countLeadingZeros(a.y), a.y != 0u); }
fn product(a: u32, b: u32) -> vec2<u32> {
    let al = a & 0xffffu; let ah = a >> 16u; let bl = b & 0xffffu; let bh = b >> 16u;
    let ll = al * bl; let lh = al * bh; let hl = ah * bl;
    let middle = (ll >> 16u) + (lh & 0xffffu) + (hl & 0xffffu);
    return vec2<u32>((ll & 0xffffu) | (middle << 16u), ah * bh + (lh >> 16u) + (hl >> 16u) + (middle >> 16u));
}
// Lowered by 1 to 63 bits and rounded to the nearest, of two to the even one.
fn rounded(a: vec2<u32>, n: u32) -> vec2<u32> {
    let left = lowered(a, n);
    let rest = minus(a, raised(left, n));
    let half = raised(vec2<u32>(1u, 0u), n - 1u);
    let up = below(half, rest) || (rest.x == half.x && rest.y == half.y && (left.x & 1u) != 0u);
    return plus(left, vec2<u32>(u32(up), 0u));
}
fn as_double(size: vec2<u32>, power: i32, sign: u32) -> Double {
    if (is_none(size)) { return Double(size, 0, sign); }
    let n = bits_of(size);
    if (n <= 53u) { return Double(raised(size, 53u - n), power - i32(53u - n), sign); }
    let cut = rounded(size, n - 53u);
    if (cut.y == 0x200000u) { return Double(vec2<u32>(0u, 0x100000u), power + i32(n - 53u) + 1, sign); }
    return Double(cut, power + i32(n - 53u), sign);
}
fn of_float(bits: u32) -> Double {
    let field = (bits >> 23u) & 0xffu;
    if (field == 0u) { return Double(vec2<u32>(0u, 0u), 0, bits >> 31u); }
    return Double(raised(vec2<u32>((bits & 0x7fffffu) | 0x800000u, 0u), 29u), i32(field) - 179, bits >> 31u);
}
fn of_whole(value: vec2<u32>, power: i32) -> Double {
    if ((value.y >> 31u) != 0u) { return as_double(negated(value), power, 1u); }
    return as_double(value, power, 0u);
}
fn of_bits(bits: vec2<u32>) -> Double {
    let field = (bits.y >> 20u) & 0x7ffu;
    if (field == 0u) { return Double(vec2<u32>(0u, 0u), 0, bits.y >> 31u); }
    return Double(vec2<u32>(bits.x, (bits.y & 0xfffffu) | 0x100000u), i32(field) - 1075, bits.y >> 31u);
}
fn times(a: Double, b: Double) -> Double {
    if (is_none(a.size) || is_none(b.size)) { return Double(vec2<u32>(0u, 0u), 0, a.sign ^ b.sign); }
    let low_low = product(a.size.x, b.size.x);
    let middle = plus(product(a.size.x, b.size.y), product(a.size.y, b.size.x));
    let low = plus(low_low, vec2<u32>(0u, middle.x));
    let high = plus(product(a.size.y, b.size.y), vec2<u32>(middle.y + u32(below(low, low_low)), 0u));
    // 105 or 106 bits, of which 57 or 58 stay, the last for all below.
    let top = raised(high, 16u);
    let under = lowered(low, 48u);
    let lost = raised(low, 16u);
    return as_double(vec2<u32>(top.x | under.x | u32(!is_none(lost)), top.y | under.y), a.power + b.power + 48, a.sign ^ b.sign);
}
fn sum(a: Double, b: Double) -> Double {
    if (is_none(b.size)) { return a; }
    if (is_none(a.size)) { return b; }
    var large = a; var small = b;
    if (a.power < b.power || (a.power == b.power && below(a.size, b.size))) { large = b; small = a; }
    let x = raised(large.size, 3u);
    let y = squeezed(raised(small.size, 3u), u32(min(large.power - small.power, 63)));
    if (a.sign == b.sign) { return as_double(plus(x, y), large.power - 3, a.sign); }
    return as_double(minus(x, y), large.power - 3, large.sign);
}
// The bits of the nearest float32; what is too small for one is 0.
fn to_float(a: Double) -> u32 {
    if (is_none(a.size)) { return 0u; }
    var size = rounded(a.size, 29u).x;
    var power = a.power + 29;
    if (size == 0x1000000u) { size = 0x800000u; power += 1; }
    let field = power + 150;
    if (field <= 0) { return 0u; }
    if (field >= 255) { return (a.sign << 31u) | 0x7f800000u; }
    return (a.sign << 31u) | (u32(field) << 23u) | (size & 0x7fffffu);
}
// The nearest whole number, of two the even one, in two's complement; below 2^62 in size.
fn to_whole(a: Double) -> vec2<u32> {
    if (is_none(a.size) || a.power < -54) { return vec2<u32>(0u, 0u); }
    var size = a.size;
    if (a.power > 0) { size = raised(size, u32(a.power)); } else if (a.power < 0) { size = rounded(size, u32(-a.power)); }
    if (a.sign != 0u) { return negated(size); }
    return size;
}
