// Agents in whole numbers: the bits of tests/oracles/swarm, where the rule is defined. An agent is three words, a column of each.
struct Rule {
    height: i32, width: i32, wrap: u32, distance: i32,
    angle: u32, cosine: i32, sine: i32, stride: i32,
    pieces: u32, turn: i32, wander: u32, follow: i32,
    avoid: i32, align_: i32, separate: i32, cohere: i32,
    flip: u32, key: u32, count: u32, cells: u32,
}
struct Step { number: u32 }
@group(0) @binding(0) var<uniform> p: Rule;
@group(0) @binding(1) var<uniform> step: Step;
@group(0) @binding(2) var<storage, read_write> agents: array<u32>;
@group(0) @binding(3) var<storage, read> ground: array<u32>;      // cosines and sines of 4,096 headings, 16 bits each; then walls, a bit a cell
@group(0) @binding(4) var<storage, read> trail_0: array<i32>;
@group(0) @binding(5) var<storage, read> trail_1: array<i32>;
@group(0) @binding(6) var<storage, read> flow_0: array<i32>;      // all x, then all y
@group(0) @binding(7) var<storage, read> flow_1: array<i32>;
@group(0) @binding(8) var<storage, read> crowd: array<i32>;
@group(0) @binding(9) var<storage, read> flock: array<i32>;

const NOWHERE = 0xffffffffu;
const SHUT = -2147483647 - 1;
const ROLE = 0x10000u;
const STEEPEST = 1280u;
var<private> ATANS: array<u32, 16> = array<u32, 16>(
    536870912u, 316933406u, 167458907u, 85004756u, 42667331u, 21354465u, 10679838u, 5340245u,
    2670163u, 1335087u, 667544u, 333772u, 166886u, 83443u, 41722u, 20861u);

fn mixed(number: u32) -> u32 {
    var n = (number ^ (number >> 16u)) * 0x7feb352du;
    n = (n ^ (n >> 15u)) * 0x846ca68bu;
    return n ^ (n >> 16u);
}
fn way_of(heading: u32) -> vec2<i32> {
    let both = ground[(heading & 0xffffu) >> 4u];
    return vec2<i32>(bitcast<i32>(both << 16u) >> 16u, bitcast<i32>(both) >> 16u);
}
fn direction(along: i32, across: i32) -> u32 {
    if (along == 0 && across == 0) { return 0u; }
    var u = along; var v = across; var found = 0u;
    if (along < 0) { u = -along; v = -across; found = 0x80000000u; }
    for (var k = 0u; k < 16u; k += 1u) {
        let by_u = u >> k; let by_v = v >> k;
        if (v >= 0) { u += by_v; v -= by_u; found += ATANS[k]; } else { u -= by_v; v += by_u; found -= ATANS[k]; }
    }
    return (found + 0x8000u) >> 16u;
}
// The cell at a place less than a map away; NOWHERE for walls and off the map.
fn cell_at(x: i32, y: i32) -> u32 {
    var column = x >> 16u; var row = y >> 16u;
    if ((p.wrap & 1u) != 0u) {
        if (column < 0) { column += p.width; }
        if (column >= p.width) { column -= p.width; }
    }
    if ((p.wrap & 2u) != 0u) {
        if (row < 0) { row += p.height; }
        if (row >= p.height) { row -= p.height; }
    }
    if (column < 0 || row < 0 || column >= p.width || row >= p.height) { return NOWHERE; }
    let cell = u32(row * p.width + column);
    return select(cell, NOWHERE, ((ground[4096u + (cell >> 5u)] >> (cell & 31u)) & 1u) != 0u);
}
fn order(bits: i32) -> i32 { return select(bits, bits ^ 0x7fffffff, bits < 0); }
fn smell(cell: u32, role: bool) -> i32 {
    if (cell == NOWHERE) { return SHUT; }
    if (role) { return order(trail_1[cell]); }
    return order(trail_0[cell]);
}
fn exponent(bits: i32) -> i32 { return (bits >> 23u) & 0xff; }
fn scaled(bits: i32, top: i32) -> i32 {
    let field = exponent(bits);
    if (field == 0) { return 0; }
    let size = ((bits & 0x7fffff) | 0x800000) >> u32(min(top - field + 4, 31));
    return select(size, -size, bits < 0);
}
fn steep(difference: i32, total: i32) -> i32 {
    let share = i32(min(u32(abs(difference)) * STEEPEST / u32(total), STEEPEST));
    return select(share, -share, difference < 0);
}
// A relative slope from what five cells read: here, right, left, below, above.
fn slope(here: i32, right: i32, left: i32, below: i32, above: i32) -> vec2<i32> {
    let top = max(max(max(exponent(here), exponent(right)), max(exponent(left), exponent(below))), exponent(above));
    let r = scaled(right, top); let l = scaled(left, top); let b = scaled(below, top); let a = scaled(above, top);
    let total = scaled(here, top) + r + l + b + a;
    if (total <= 0) { return vec2<i32>(0, 0); }
    return vec2<i32>(steep(r - l, total), steep(b - a, total));
}
fn crowd_at(cell: u32, other: i32) -> i32 { if (cell == NOWHERE) { return other; } return crowd[cell]; }
fn flock_at(cell: u32, other: i32) -> i32 { if (cell == NOWHERE) { return other; } return flock[cell]; }
// Up a slope with a weight, in an agent's own frame.
fn slide(rise: vec2<i32>, own: vec2<i32>, weight: i32) -> vec2<i32> {
    return vec2<i32>(weight * ((rise.x * own.x + rise.y * own.y) >> 8u), weight * ((rise.y * own.x - rise.x * own.y) >> 8u));
}

@compute @workgroup_size(256)
fn walk(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 256u + id.x;
    if (i >= p.count) { return; }
    var x = bitcast<i32>(agents[i]); var y = bitcast<i32>(agents[p.count + i]);
    let mind = agents[2u * p.count + i];
    var heading = mind & 0xffffu;
    let role = (mind & ROLE) != 0u;
    let die = mixed(mixed(mixed(p.key + 0x9e3779b9u) + i) + step.number * 0x85ebca6bu);
    let lower_side = (die & 1u) == 0u;
    var along = 4194304; var across = 0;
    var ahead = NOWHERE;
    if (p.follow != 0 || p.avoid != 0 || p.align_ != 0) {
        let way = way_of(heading);
        ahead = cell_at(x + way.x * p.distance, y + way.y * p.distance);
    }
    if (p.follow != 0 || p.avoid != 0) {
        let low_way = way_of(heading - p.angle); let high_way = way_of(heading + p.angle);
        let low_cell = cell_at(x + low_way.x * p.distance, y + low_way.y * p.distance);
        let high_cell = cell_at(x + high_way.x * p.distance, y + high_way.y * p.distance);
        if (p.follow != 0) {
            let low = smell(low_cell, role); let middle = smell(ahead, role); let high = smell(high_cell, role);
            if (low > middle || high > middle) {
                along += p.follow * p.cosine;
                if (low > high || (low == high && lower_side)) { across -= p.follow * p.sine; } else { across += p.follow * p.sine; }
            }
        }
        if (p.avoid != 0 && ahead == NOWHERE) {
            let low_shut = low_cell == NOWHERE; let high_shut = high_cell == NOWHERE;
            if (low_shut && high_shut) { along -= p.avoid << 14u; } else {
                along += p.avoid * p.cosine;
                if (high_shut || (!low_shut && lower_side)) { across -= p.avoid * p.sine; } else { across += p.avoid * p.sine; }
            }
        }
    }
    if (p.align_ != 0 && ahead != NOWHERE) {
        var bits = vec2<i32>(0, 0);
        if (role) { bits = vec2<i32>(flow_1[ahead], flow_1[p.cells + ahead]); } else { bits = vec2<i32>(flow_0[ahead], flow_0[p.cells + ahead]); }
        let top = max(exponent(bits.x), exponent(bits.y));
        let flow_x = scaled(bits.x, top); var flow_y = scaled(bits.y, top);
        if (p.flip != 0u) { flow_y = -flow_y; }
        if (flow_x != 0 || flow_y != 0) {
            let way = way_of(direction(flow_x, flow_y) - heading);
            along += p.align_ * way.x; across += p.align_ * way.y;
        }
    }
    if (p.separate != 0 || p.cohere != 0) {
        let own = way_of(heading);
        let at = cell_at(x, y);
        let right = cell_at(x + 65536, y); let left = cell_at(x - 65536, y); let below = cell_at(x, y + 65536); let above = cell_at(x, y - 65536);
        if (p.separate != 0) {
            let here = crowd_at(at, 0);
            let rise = slope(here, crowd_at(right, here), crowd_at(left, here), crowd_at(below, here), crowd_at(above, here));
            let push = slide(rise, own, -p.separate);
            along += push.x; across += push.y;
        }
        if (p.cohere != 0) {
            let here = flock_at(at, 0);
            let rise = slope(here, flock_at(right, here), flock_at(left, here), flock_at(below, here), flock_at(above, here));
            let push = slide(rise, own, p.cohere);
            along += push.x; across += push.y;
        }
    }
    var change = i32((direction(along >> 4u, across >> 4u) + 0x8000u) & 0xffffu) - 0x8000;
    change += i32(((die >> 16u) * (2u * p.wander + 1u)) >> 16u) - i32(p.wander);
    heading = (heading + bitcast<u32>(clamp(change, -p.turn, p.turn))) & 0xffffu;
    let way = way_of(heading);
    var dx = (way.x * p.stride + 8192) >> 14u; var dy = (way.y * p.stride + 8192) >> 14u;
    var bounced_x = false; var bounced_y = false;
    let wide = p.width << 16u; let high = p.height << 16u;
    for (var k = 0u; k < p.pieces; k += 1u) {
        if (cell_at(x + dx, y) == NOWHERE) { dx = -dx; bounced_x = !bounced_x; } else {
            x += dx;
            if ((p.wrap & 1u) != 0u) { if (x < 0) { x += wide; } else if (x >= wide) { x -= wide; } }
        }
        if (cell_at(x, y + dy) == NOWHERE) { dy = -dy; bounced_y = !bounced_y; } else {
            y += dy;
            if ((p.wrap & 2u) != 0u) { if (y < 0) { y += high; } else if (y >= high) { y -= high; } }
        }
    }
    if (bounced_x) { heading = 0x8000u - heading; }
    if (bounced_y) { heading = 0u - heading; }
    agents[i] = bitcast<u32>(x);
    agents[p.count + i] = bitcast<u32>(y);
    agents[2u * p.count + i] = (mind & 0xffff0000u) | (heading & 0xffffu);
}
