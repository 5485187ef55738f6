// Food taken and brought home: the bits of tests/oracles/swarm.forage, in three passes.
struct Parameters { count: u32, width: u32, cells: u32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read_write> agents: array<u32>;
@group(0) @binding(2) var<storage, read_write> food: array<i32>;
@group(0) @binding(3) var<storage, read> homes: array<u32>;
@group(0) @binding(4) var<storage, read_write> claims: array<atomic<u32>>;   // how many want of each cell; then the lowest number of them
@group(0) @binding(5) var<storage, read_write> brought: array<atomic<u32>>;

const ROLE = 0x10000u;

@compute @workgroup_size(256)
fn claim(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 256u + id.x;
    if (i >= p.count || (agents[2u * p.count + i] & ROLE) != 0u) { return; }
    let cell = (agents[p.count + i] >> 16u) * p.width + (agents[i] >> 16u);
    if (food[cell] <= 0) { return; }
    atomicAdd(&claims[cell], 1u);
    atomicMin(&claims[p.cells + cell], i);
}

@compute @workgroup_size(256)
fn settle(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 256u + id.x;
    if (i >= p.count) { return; }
    let cell = (agents[p.count + i] >> 16u) * p.width + (agents[i] >> 16u);
    let mind = agents[2u * p.count + i];
    var carries = (mind & ROLE) != 0u;
    let wanted = atomicLoad(&claims[cell]);
    let took = !carries && wanted > 0u && (wanted <= u32(food[cell]) || atomicLoad(&claims[p.cells + cell]) == i);
    let at_home = ((homes[cell >> 5u] >> (cell & 31u)) & 1u) != 0u;
    let came = carries && at_home;
    var since = min((mind >> 17u) + 1u, 32767u);
    var heading = mind & 0xffffu;
    if (took || came || (at_home && !carries)) { since = 0u; }
    if (took || came) { carries = !carries; heading = (heading + 0x8000u) & 0xffffu; }
    if (came) { atomicAdd(&brought[0], 1u); }
    agents[2u * p.count + i] = heading | select(0u, ROLE, carries) | (since << 17u);
}

@compute @workgroup_size(256)
fn serve(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let cell = id.y * groups.x * 256u + id.x;
    if (cell >= p.cells) { return; }
    let wanted = i32(atomicLoad(&claims[cell]));
    if (wanted == 0) { return; }
    food[cell] -= select(1, wanted, wanted <= food[cell]);
    atomicStore(&claims[cell], 0u);
    atomicStore(&claims[p.cells + cell], 0xffffffffu);
}
