// Spread: the bits of fieldcraft.kernels.spread, exponential and linear, any neighbourhood.
struct Way { dx: i32, dy: i32, loss: f32, unused: u32 }
struct Parameters {
    width: u32, height: u32, ways: u32, zero: u32,
    linear: u32, wrap: u32, momentum: f32, keep: f32,
    floor_: f32, falls: u32, unused: vec2<u32>,
    way: array<Way, 31>,
}
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> old: array<f32>;
@group(0) @binding(2) var<storage, read_write> fresh: array<f32>;
@group(0) @binding(3) var<storage, read> ground: array<u32>;   // bit k: influence arrives by way k; bit 31: the cell is held

const HELD = 0x80000000u;

struct Arriving { strongest: f32, weakest: f32 }
fn arrive(before: Arriving, value: f32, loss: f32) -> Arriving {
    var high = kept(value * loss, p.zero);
    var low = high;
    if (p.linear != 0u) { high = kept(value - loss, p.zero); low = kept(value + loss, p.zero); }
    return Arriving(select(before.strongest, high, high > before.strongest), select(before.weakest, low, low < before.weakest));
}
fn moved(here: f32, came: Arriving) -> f32 {
    let goal = select(came.weakest, came.strongest, came.strongest >= -came.weakest);
    var value = kept(here + kept(p.momentum * kept(goal - here, p.zero), p.zero), p.zero);
    if (p.falls != 0u && abs(goal) < abs(here)) {
        let left = kept(p.keep * here, p.zero);
        value = select(left, goal, abs(goal) >= abs(left));
    }
    return select(value, 0.0, abs(value) < p.floor_ && abs(goal) < p.floor_);
}

@compute @workgroup_size(32, 8)
fn one(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= p.width || id.y >= p.height) { return; }
    let at = id.y * p.width + id.x;
    let here = old[at];
    let word = ground[at];
    if ((word & HELD) != 0u) { fresh[at] = here; return; }
    var came = Arriving(0.0, 0.0);
    for (var k = 0u; k < p.ways; k += 1u) {
        if (((word >> k) & 1u) == 0u) { continue; }
        var x = i32(id.x) - p.way[k].dx; var y = i32(id.y) - p.way[k].dy;
        if (p.wrap != 0u) {
            let width = i32(p.width); let height = i32(p.height);
            x = ((x % width) + width) % width; y = ((y % height) + height) % height;
        }
        came = arrive(came, old[u32(y) * p.width + u32(x)], p.way[k].loss);
    }
    fresh[at] = moved(here, came);
}

// Four steps of ways to the eight cells around at once: a square of 32 x 32 in the memory of a work group, of which 24 x 24 come out right.
var<workgroup> now: array<f32, 1024>;
var<workgroup> next: array<f32, 1024>;
@compute @workgroup_size(16, 16)
fn four(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let width = i32(p.width); let height = i32(p.height);
    var words: array<u32, 4>;
    for (var n = 0u; n < 4u; n += 1u) {
        let spot = n * 256u + lane;
        var x = i32(group.x * 24u + (spot & 31u)) - 4; var y = i32(group.y * 24u + (spot >> 5u)) - 4;
        words[n] = HELD;
        var value = 0.0;
        if ((p.wrap & 1u) != 0u) { x = ((x % width) + width) % width; }
        if ((p.wrap & 2u) != 0u) { y = ((y % height) + height) % height; }
        if (x >= 0 && y >= 0 && x < width && y < height) {
            let at = u32(y) * p.width + u32(x);
            value = old[at];
            words[n] = ground[at];
        }
        now[spot] = value;
    }
    workgroupBarrier();
    for (var s = 0u; s < 4u; s += 1u) {
        for (var n = 0u; n < 4u; n += 1u) {
            let spot = n * 256u + lane;
            let column = spot & 31u; let row = spot >> 5u;
            var value = now[spot];
            if ((words[n] & HELD) == 0u && column > 0u && row > 0u && column < 31u && row < 31u) {
                var came = Arriving(0.0, 0.0);
                for (var k = 0u; k < p.ways; k += 1u) {
                    if (((words[n] >> k) & 1u) == 0u) { continue; }
                    came = arrive(came, now[u32(i32(spot) - p.way[k].dy * 32 - p.way[k].dx)], p.way[k].loss);
                }
                value = moved(value, came);
            }
            next[spot] = value;
        }
        workgroupBarrier();
        for (var n = 0u; n < 4u; n += 1u) { now[n * 256u + lane] = next[n * 256u + lane]; }
        workgroupBarrier();
    }
    for (var n = 0u; n < 4u; n += 1u) {
        let spot = n * 256u + lane;
        let column = spot & 31u; let row = spot >> 5u;
        let x = group.x * 24u + column - 4u; let y = group.y * 24u + row - 4u;
        if (column >= 4u && row >= 4u && column < 28u && row < 28u && x < p.width && y < p.height) { fresh[y * p.width + x] = now[spot]; }
    }
}
