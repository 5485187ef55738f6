// Pixels shown on a screen, as large as fits.
struct Parameters { width: u32, height: u32, linear: u32, unused: u32 }
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
struct Corner { @builtin(position) at: vec4<f32>, @location(0) share: vec2<f32> }

@vertex fn corner(@builtin(vertex_index) k: u32) -> Corner {
    let share = vec2<f32>(f32((k << 1u) & 2u), f32(k & 2u));
    return Corner(vec4<f32>(share.x * 2.0 - 1.0, 1.0 - share.y * 2.0, 0.0, 1.0), share);
}
@fragment fn shown(corner: Corner) -> @location(0) vec4<f32> {
    let x = min(u32(corner.share.x * f32(p.width)), p.width - 1u);
    let y = min(u32(corner.share.y * f32(p.height)), p.height - 1u);
    let color = unpack4x8unorm(pixels[y * p.width + x]);
    if (p.linear == 0u) { return color; }
    let linear = select(pow((color.rgb + 0.055) / 1.055, vec3<f32>(2.4)), color.rgb / 12.92, color.rgb <= vec3<f32>(0.04045));
    return vec4<f32>(linear, 1.0);   // the screen encodes what it is given
}
