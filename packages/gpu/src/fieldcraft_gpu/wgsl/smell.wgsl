// Food that smells: an amount of 64 bits on each open cell that has some.
struct Parameters { cells: u32, unused: u32, amount: vec2<u32> }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> food: array<i32>;
@group(0) @binding(2) var<storage, read> ground: array<u32>;   // 4,096 words, then walls, a bit a cell
@group(0) @binding(3) var<storage, read_write> inflow: array<atomic<u32>>;

@compute @workgroup_size(256)
fn smell(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let cell = id.y * groups.x * 256u + id.x;
    if (cell >= p.cells || food[cell] <= 0) { return; }
    if (((ground[4096u + (cell >> 5u)] >> (cell & 31u)) & 1u) == 0u) { put(cell, p.amount); }
}
