// Amounts of 64 bits added to cells.
struct Parameters { count: u32, plane: u32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> cells: array<u32>;
@group(0) @binding(2) var<storage, read> amounts: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> inflow: array<atomic<u32>>;

@compute @workgroup_size(256)
fn scatter(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 256u + id.x;
    if (i < p.count) { put(p.plane + cells[i], amounts[i]); }
}
