// Pictures of layers and agents, pixel by pixel, as fieldcraft.view.frame makes them. A pixel is a word, red in its lowest byte.
struct Parameters {
    width: u32, height: u32, scale: u32, zero: u32,
    low: f32, high: f32, start: f32, factor: f32,
    last: u32, threshold: f32, opacity: f32, rim: u32,
    count: u32, color: u32, thick: u32, length: u32,
}
@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read_write> pixels: array<u32>;
@group(0) @binding(2) var<storage, read> ground: array<u32>;   // a colour a cell; bit 24 for walls
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read> table: array<u32>;
@group(0) @binding(5) var<storage, read> agents: array<u32>;
@group(0) @binding(6) var<storage, read_write> glow: array<atomic<u32>>;

const WALL = 0x1000000u;
const OPAQUE = 0xff000000u;

fn mixed(below: u32, above: u32, cover: f32) -> u32 {
    if (cover >= 1.0) { return above | OPAQUE; }
    var found = OPAQUE;
    for (var k = 0u; k < 24u; k += 8u) {
        let one = f32((below >> k) & 255u); let other = f32((above >> k) & 255u);
        found |= u32(round(one * (1.0 - cover) + other * cover)) << k;
    }
    return found;
}

@compute @workgroup_size(32, 8)
fn backdrop(@builtin(global_invocation_id) id: vec3<u32>) {
    let wide = p.width * p.scale;
    if (id.x >= wide || id.y >= p.height * p.scale) { return; }
    pixels[id.y * wide + id.x] = ground[id.y / p.scale * p.width + id.x / p.scale] | OPAQUE;
}

@compute @workgroup_size(32, 8)
fn layer(@builtin(global_invocation_id) id: vec3<u32>) {
    let wide = p.width * p.scale;
    if (id.x >= wide || id.y >= p.height * p.scale) { return; }
    let cell = id.y / p.scale * p.width + id.x / p.scale;
    let value = values[cell];
    if (abs(value) <= p.threshold) { return; }
    let inside = min(max(value, p.low), p.high);
    let share = min(kept(kept(inside - p.start, p.zero) * p.factor, p.zero), 1.0);
    let which = u32(kept(kept(share * f32(p.last), p.zero) + 0.5, p.zero));
    let cover = select(p.opacity, p.opacity * 0.45, (ground[cell] & WALL) != 0u);
    let at = id.y * wide + id.x;
    pixels[at] = mixed(pixels[at], table[which], cover);
}

// A line along the edges of walls, inside of the wall.
@compute @workgroup_size(32, 8)
fn rims(@builtin(global_invocation_id) id: vec3<u32>) {
    let wide = p.width * p.scale;
    if (id.x >= wide || id.y >= p.height * p.scale) { return; }
    let x = i32(id.x / p.scale); let y = i32(id.y / p.scale);
    if ((ground[u32(y) * p.width + u32(x)] & WALL) == 0u) { return; }
    let inner_x = id.x % p.scale; let inner_y = id.y % p.scale;
    for (var down = -1; down <= 1; down += 1) {
        for (var across = -1; across <= 1; across += 1) {
            let column = x + across; let row = y + down;
            if (column < 0 || row < 0 || column >= i32(p.width) || row >= i32(p.height)) { continue; }
            if ((ground[u32(row) * p.width + u32(column)] & WALL) != 0u) { continue; }
            let by_x = across == 0 || (across < 0 && inner_x < p.thick) || (across > 0 && inner_x + p.thick >= p.scale);
            let by_y = down == 0 || (down < 0 && inner_y < p.thick) || (down > 0 && inner_y + p.thick >= p.scale);
            if (by_x && by_y) { pixels[id.y * wide + id.x] = p.rim | OPAQUE; }
        }
    }
}

// Agents in whole numbers: a dot, or a dart of `length` pixels that is brightest at its head; glow is counted in 256ths.
@compute @workgroup_size(256)
fn agents_glow(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 256u + id.x;
    if (i >= p.count) { return; }
    let wide = i32(p.width * p.scale); let high = i32(p.height * p.scale);
    var x = i32((agents[i] >> 8u) * p.scale); var y = i32((agents[p.count + i] >> 8u) * p.scale);   // 2**-8 of a pixel
    if (p.length == 1u) {
        atomicAdd(&glow[u32((y >> 8u) * wide + (x >> 8u))], 256u);
        return;
    }
    let turn = f32(agents[2u * p.count + i] & 0xffffu) * 9.58738e-5;
    let back = vec2<i32>(i32(-256.0 * cos(turn)), i32(-256.0 * sin(turn)));
    for (var k = 0u; k < p.length; k += 1u) {
        let column = (x + i32(k) * back.x) >> 8u; let row = (y + i32(k) * back.y) >> 8u;
        if (column >= 0 && row >= 0 && column < wide && row < high) { atomicMax(&glow[u32(row * wide + column)], 256u * (p.length - k) / p.length); }
    }
}

@compute @workgroup_size(32, 8)
fn glowing(@builtin(global_invocation_id) id: vec3<u32>) {
    let wide = p.width * p.scale;
    if (id.x >= wide || id.y >= p.height * p.scale) { return; }
    let at = id.y * wide + id.x;
    let light = atomicExchange(&glow[at], 0u);
    if (light == 0u) { return; }
    let cover = 1.0 - pow(1.0 - p.opacity, f32(light) / 256.0);   // as many veils over each other
    pixels[at] = mixed(pixels[at], p.color, min(cover, 1.0));
}
