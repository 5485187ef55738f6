// Footprints of open ground added to sums, and sums made values: the bits of tests/oracles/radial. A work group stamps one.
struct Parameters { width: u32, height: u32, count: u32, wrap: u32 }
struct Print { row: i32, column: i32, reach: i32, start: u32, strength: vec2<u32> }   // the bits of a double, in units of the sums
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> prints: array<Print>;
@group(0) @binding(2) var<storage, read> table: array<vec2<u32>>;   // weights as the bits of doubles, 2 * reach + 1 rows of as many each
@group(0) @binding(3) var<storage, read_write> inflow: array<atomic<u32>>;

// On a torus a cell is reached the short way round only, so that none is reached twice.
fn is_short(away: i32, size: i32) -> bool { return away <= size / 2 && away >= -((size - 1) / 2); }

@compute @workgroup_size(256)
fn radiate(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = group.y * groups.x + group.x;
    if (i >= p.count) { return; }
    let s = prints[i];
    let across = u32(2 * s.reach + 1);
    let height = i32(p.height); let width = i32(p.width);
    for (var c = lane; c < across * across; c += 256u) {
        let down = i32(c / across) - s.reach; let right = i32(c % across) - s.reach;
        var y = s.row + down; var x = s.column + right;
        if (p.wrap != 0u) {
            if (!is_short(down, height) || !is_short(right, width)) { continue; }
            y = ((y % height) + height) % height; x = ((x % width) + width) % width;
        }
        if (y < 0 || y >= height || x < 0 || x >= width) { continue; }
        put(u32(y) * p.width + u32(x), to_whole(times(of_bits(s.strength), of_bits(table[s.start + c]))));
    }
}
