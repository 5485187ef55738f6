// A sum or product that nothing may be fused or reordered with: the host passes a 0 that no compiler can know.
fn kept(value: f32, zero: u32) -> f32 { return bitcast<f32>(bitcast<u32>(value) ^ zero); }
