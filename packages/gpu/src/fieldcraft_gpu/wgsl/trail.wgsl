// Trails: the bits of fieldcraft.kernels.trail. Planes of numbers, or of x and y, one after the other.
struct Parameters {
    width: u32, height: u32, planes: u32, zero: u32,
    conserves: u32, wrap: u32, reach: u32, floor_bits: u32,
    gain_low: u32, gain_high: u32, gain_power: i32, unused: u32,
}
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> old: array<f32>;
@group(0) @binding(2) var<storage, read_write> fresh: array<u32>;
@group(0) @binding(3) var<storage, read_write> inflow: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> near: array<u32>;   // 3 x 3: a bit for each that a cell exchanges with; wider: open cells to the left, and to the right << 8; 0 for walls

fn three(left: u32, at: u32, right: u32, mask: u32) -> f32 {
    var a = 0.0; var b = 0.0; var c = 0.0;
    if ((mask & 1u) != 0u) { a = old[left]; }
    if ((mask & 2u) != 0u) { b = old[at]; }
    if ((mask & 4u) != 0u) { c = old[right]; }
    return kept(kept(a + b, p.zero) + c, p.zero);
}

// What a cell comes to: a blurred sum times the gain, and what came in.
fn store(at: u32, total: f32, came: vec2<u32>) {
    var value = times(Double(vec2<u32>(p.gain_low, p.gain_high), p.gain_power, 0u), of_float(bitcast<u32>(total)));
    if (!is_none(came)) { value = sum(value, of_whole(came, -24)); }
    let bits = to_float(value);
    fresh[at] = select(0u, bits, (bits & 0x7fffffffu) >= p.floor_bits);
}

fn taken(at: u32) -> vec2<u32> {
    let came = inflow[at];
    if (!is_none(came)) { inflow[at] = vec2<u32>(0u, 0u); }
    return came;
}

@compute @workgroup_size(32, 8)
fn narrow(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= p.width || id.y >= p.height) { return; }
    let cell = id.y * p.width + id.x;
    let at = id.z * p.width * p.height + cell;
    let mask = near[cell];
    let came = taken(at);
    if (mask == 0u) { fresh[at] = 0u; return; }
    let row = at - id.x;
    let left = select(id.x - 1u, p.width - 1u, id.x == 0u);
    let right = select(id.x + 1u, 0u, id.x + 1u == p.width);
    let up = row + select(0u - p.width, (p.height - 1u) * p.width, id.y == 0u);
    let down = row + select(p.width, 0u - (p.height - 1u) * p.width, id.y + 1u == p.height);
    let over = three(up + left, up + id.x, up + right, mask);
    let level = three(row + left, at, row + right, mask >> 3u);
    let under = three(down + left, down + id.x, down + right, mask >> 6u);
    var total = kept(kept(over + level, p.zero) + under, p.zero);
    if (p.conserves != 0u && mask != 511u) { total = kept(total + kept(f32(9u - countOneBits(mask)) * old[at], p.zero), p.zero); }
    store(at, total, came);
}

// Any width: in each row of the blur as far as the shortest open run of all rows from the cell's own to that one.
@compute @workgroup_size(32, 8)
fn wide(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= p.width || id.y >= p.height) { return; }
    let cell = id.y * p.width + id.x;
    let plane = id.z * p.width * p.height;
    let at = plane + cell;
    let came = taken(at);
    if (near[cell] == 0u) { fresh[at] = 0u; return; }
    let reach = i32(p.reach);
    let height = i32(p.height); let width = i32(p.width);
    var runs: array<vec2<i32>, 63>;   // one more than how far to the left and to the right; 0 for not at all
    var count = 0;
    for (var way = -1; way <= 1; way += 2) {
        var run = vec2<i32>(99, 99);
        for (var n = 0; n <= reach; n += 1) {
            var y = i32(id.y) + way * n;
            if ((p.wrap & 2u) != 0u) { y = ((y % height) + height) % height; }
            if (y < 0 || y >= height) { run = vec2<i32>(0, 0); } else {
                let word = near[u32(y) * p.width + id.x];
                run = min(run, vec2<i32>(i32(word & 0xffu), i32(word >> 8u)));
            }
            runs[reach + way * n] = run;
        }
    }
    var total = 0.0;
    for (var j = 0; j <= 2 * reach; j += 1) {
        let run = runs[j];
        if (run.x == 0) { continue; }
        var y = i32(id.y) + j - reach;
        if ((p.wrap & 2u) != 0u) { y = ((y % height) + height) % height; }
        let row = plane + u32(y) * p.width;
        var along = 0.0;
        for (var i = 1 - run.x; i < run.y; i += 1) {
            var x = i32(id.x) + i;
            if ((p.wrap & 1u) != 0u) { x = ((x % width) + width) % width; }
            along = kept(along + old[row + u32(x)], p.zero);
        }
        count += run.x + run.y - 1;
        total = kept(total + along, p.zero);
    }
    let missing = (2 * reach + 1) * (2 * reach + 1) - count;
    if (p.conserves != 0u && missing > 0) { total = kept(total + kept(f32(missing) * old[at], p.zero), p.zero); }
    store(at, total, came);
}

// Without accumulation an update begins with what has come: values become that, and nothing more comes in.
@compute @workgroup_size(32, 8)
fn drain(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= p.width || id.y >= p.height) { return; }
    let at = id.z * p.width * p.height + id.y * p.width + id.x;
    let came = taken(at);
    fresh[at] = select(to_float(of_whole(came, -24)), 0u, is_none(came));
}
