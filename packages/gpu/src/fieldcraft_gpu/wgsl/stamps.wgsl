// Stamps put on sums: the bits of tests/oracles/stamps, blend "add". A work group draws a stamp.
struct Parameters { width: u32, height: u32, count: u32, wrap: u32, plane: u32 }
struct Stamp { row: i32, column: i32, shape: u32, between: u32, whole: vec2<u32>, right: vec2<u32>, down: vec2<u32>, corner: vec2<u32> }
struct Shape { start: u32, height: u32, width: u32, first_row: i32, first_column: i32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> stamps: array<Stamp>;   // the four amounts as the bits of doubles: of the cell, and of those before it
@group(0) @binding(2) var<storage, read> shapes: array<Shape>;
@group(0) @binding(3) var<storage, read> table: array<vec2<u32>>;   // weights as the bits of doubles, each shape in a margin of 0
@group(0) @binding(4) var<storage, read_write> inflow: array<atomic<u32>>;

struct Drawn { cell: u32, amount: vec2<u32> }
const OFF = 0xffffffffu;

// The number of cells that a stamp may change.
fn extent(s: Stamp) -> u32 { return (shapes[s.shape].height + s.between) * (shapes[s.shape].width + s.between); }

// One of them, and what the stamp puts there; OFF beyond the rim.
fn drawn(s: Stamp, c: u32) -> Drawn {
    let shape = shapes[s.shape];
    let across = shape.width + s.between;
    let j = c / across; let k = c % across;
    let at = shape.start + (j + 1u) * (shape.width + 2u) + k + 1u;
    var weight = times(of_bits(s.whole), of_bits(table[at]));
    if (s.between != 0u) {
        weight = sum(weight, times(of_bits(s.right), of_bits(table[at - 1u])));
        let before = at - shape.width - 2u;
        weight = sum(weight, sum(times(of_bits(s.down), of_bits(table[before])), times(of_bits(s.corner), of_bits(table[before - 1u]))));
    }
    var y = s.row + shape.first_row + i32(j); var x = s.column + shape.first_column + i32(k);
    let height = i32(p.height); let width = i32(p.width);
    if ((p.wrap & 2u) != 0u) { y = ((y % height) + height) % height; }
    if ((p.wrap & 1u) != 0u) { x = ((x % width) + width) % width; }
    if (y < 0 || y >= height || x < 0 || x >= width) { return Drawn(OFF, vec2<u32>(0u, 0u)); }
    return Drawn(p.plane + u32(y) * p.width + u32(x), to_whole(weight));
}

@compute @workgroup_size(256)
fn stamp(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = group.y * groups.x + group.x;
    if (i >= p.count) { return; }
    let s = stamps[i];
    for (var c = lane; c < extent(s); c += 256u) {
        let one = drawn(s, c);
        if (one.cell != OFF) { put(one.cell, one.amount); }
    }
}
