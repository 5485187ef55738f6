// Memory that fades evenly: the bits of tests/oracles/fade. Moments lie in tiles of so many rows and columns.
struct Parameters { width: u32, height: u32, rows: u32, columns: u32, age: i32, count: u32, rate: vec2<u32> }   // the rate: the bits of a double
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read> moments: array<i32>;
@group(0) @binding(3) var<storage, read_write> ends: array<atomic<i32>>;
@group(0) @binding(4) var<storage, read_write> shown: array<u32>;

@compute @workgroup_size(256)
fn mark(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 256u + id.x;
    if (i < p.count) { atomicMax(&ends[places[i]], moments[i]); }
}

// Moments counted from a later epoch.
@compute @workgroup_size(256)
fn later(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 256u + id.x;
    if (i < p.count) { atomicStore(&ends[i], max(atomicLoad(&ends[i]) - p.age, 0)); }
}

@compute @workgroup_size(32, 8)
fn show(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= p.width || id.y >= p.height) { return; }
    let tile = id.y / p.rows * ((p.width + p.columns - 1u) / p.columns) + id.x / p.columns;
    let end = atomicLoad(&ends[(tile * p.rows + id.y % p.rows) * p.columns + id.x % p.columns]);
    let left = u32(max(end - p.age, 0));
    shown[id.y * p.width + id.x] = to_float(times(of_whole(vec2<u32>(left, 0u), 0), of_bits(p.rate)));
}
