// What agents leave on a layer: amounts of 64 bits added up in whole numbers, exact in any order.
struct Parameters { count: u32, width: u32, role: u32, by_heading: u32, longest: u32, plane: u32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> agents: array<u32>;
@group(0) @binding(2) var<storage, read> amounts: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> inflow: array<atomic<u32>>;

@compute @workgroup_size(256)
fn leave(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 256u + id.x;
    if (i >= p.count) { return; }
    let mind = agents[2u * p.count + i];
    if (p.role < 2u && ((mind >> 16u) & 1u) != p.role) { return; }
    let cell = p.plane + (agents[p.count + i] >> 16u) * p.width + (agents[i] >> 16u);
    var which = min(mind >> 17u, p.longest);
    if (p.by_heading != 0u) { which = (mind & 0xffffu) >> 4u; }
    put(cell, amounts[which]);
}
