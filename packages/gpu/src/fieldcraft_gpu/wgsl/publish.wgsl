// Sums of 64 bits in units of 2^-24 made float32 values; 0 on walls.
struct Parameters { count: u32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> sums: array<vec2<u32>>;
@group(0) @binding(2) var<storage, read> closed: array<u32>;   // a bit a cell
@group(0) @binding(3) var<storage, read_write> shown: array<u32>;

@compute @workgroup_size(256)
fn publish(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 256u + id.x;
    if (i >= p.count) { return; }
    shown[i] = select(to_float(of_whole(sums[i], -24)), 0u, ((closed[i >> 5u] >> (i & 31u)) & 1u) != 0u);
}
