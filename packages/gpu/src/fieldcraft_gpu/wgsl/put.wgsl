// Adds a number of 64 bits to a cell's sum. The low word tells by its old value whether it wrapped, which exactly one adder sees.
fn put(cell: u32, amount: vec2<u32>) {
    var high = amount.y;
    if (amount.x != 0u) {
        let before = atomicAdd(&inflow[2u * cell], amount.x);
        if (before + amount.x < before) { high += 1u; }
    }
    if (high != 0u) { atomicAdd(&inflow[2u * cell + 1u], high); }
}
