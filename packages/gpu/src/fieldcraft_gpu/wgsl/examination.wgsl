// The test of a device: see examination.py.
struct Parameters { zero: u32, count: u32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> inputs: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> outputs: array<vec4<u32>>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= p.count) { return; }
    let v = inputs[id.x];
    outputs[2u * id.x] = vec4<u32>(
        bitcast<u32>(kept(kept(v.x * v.y, p.zero) + v.z, p.zero)),
        bitcast<u32>(kept(v.x + kept(v.w * kept(v.z - v.x, p.zero), p.zero), p.zero)),
        bitcast<u32>(kept(kept(v.x + v.y, p.zero) + v.z, p.zero)),
        bitcast<u32>(v.x * v.y + v.z),
    );
    let a = bitcast<u32>(v.x); let b = bitcast<u32>(v.y);
    outputs[2u * id.x + 1u] = vec4<u32>(
        a * b, bitcast<u32>(bitcast<i32>(a) >> (b & 31u)), a / max(b & 0xffffu, 1u), bitcast<u32>(max(v.x, v.z)),
    );
}
