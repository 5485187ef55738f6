// Stamps of which the strongest stays, blend "max": of a size and a sign one key of 64 bits is made, and the largest found in two passes, the
// high words first, then the low ones of those that have that high word. What has come before takes part.
@group(0) @binding(5) var<storage, read_write> keys: array<atomic<u32>>;   // of each cell, high and low

fn key(amount: vec2<u32>) -> vec2<u32> {
    let below_none = (amount.y >> 31u) != 0u;
    var size = amount;
    if (below_none) { size = negated(amount); }
    let doubled = raised(size, 1u);
    return vec2<u32>(doubled.x | u32(!below_none), doubled.y);
}
fn came(cell: u32) -> vec2<u32> { return vec2<u32>(atomicLoad(&inflow[2u * cell]), atomicLoad(&inflow[2u * cell + 1u])); }
fn place_of(id: vec3<u32>, groups: vec3<u32>) -> u32 { return id.y * groups.x * 256u + id.x; }

@compute @workgroup_size(256)
fn begin(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = place_of(id, groups);
    if (i >= p.width * p.height) { return; }
    atomicStore(&keys[2u * i], key(came(p.plane + i)).y);
    atomicStore(&keys[2u * i + 1u], 0u);
}

@compute @workgroup_size(256)
fn high(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = group.y * groups.x + group.x;
    if (i >= p.count) { return; }
    let s = stamps[i];
    for (var c = lane; c < extent(s); c += 256u) {
        let one = drawn(s, c);
        if (one.cell != OFF) { atomicMax(&keys[2u * (one.cell - p.plane)], key(one.amount).y); }
    }
}

@compute @workgroup_size(256)
fn low(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = group.y * groups.x + group.x;
    if (i >= p.count) { return; }
    let s = stamps[i];
    for (var c = lane; c < extent(s); c += 256u) {
        let one = drawn(s, c);
        if (one.cell == OFF) { continue; }
        let at = 2u * (one.cell - p.plane);
        let mine = key(one.amount);
        if (mine.y == atomicLoad(&keys[at])) { atomicMax(&keys[at + 1u], mine.x); }
    }
}

@compute @workgroup_size(256)
fn keep(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = place_of(id, groups);
    if (i >= p.width * p.height) { return; }
    let before = key(came(p.plane + i));
    let found = vec2<u32>(atomicLoad(&keys[2u * i + 1u]), atomicLoad(&keys[2u * i]));
    if (found.y < before.y || (found.y == before.y && found.x <= before.x)) { return; }
    var amount = lowered(found, 1u);
    if ((found.x & 1u) == 0u) { amount = negated(amount); }
    atomicStore(&inflow[2u * (p.plane + i)], amount.x);
    atomicStore(&inflow[2u * (p.plane + i) + 1u], amount.y);
}
