// Looking round on a mesh of triangles, written plainly: for every triangle within reach a line from the viewer to its middle,
// walked from triangle to triangle.

#include <cstdint>
#include <vector>

namespace {

double turn(const double* a, const double* b, const double* c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

}  // namespace

extern "C" {

// `corners` (C, 2), `triangles` (N, 3) going round with the inside on the left, `beside` (N, 3) the triangle behind the side from
// corner k to the next, or -1, `middles` (N, 2). Returns how many are seen from the middle of one; `seen` (N,) says which.
int look_round(const double* corners, const std::int64_t* triangles, const std::int64_t* beside, const double* middles, std::int64_t count,
               std::int64_t viewer, double radius, std::uint8_t* seen) {
    const double* a = middles + 2 * viewer;
    int total = 0;
    for (std::int64_t target = 0; target < count; ++target) {
        const double* b = middles + 2 * target;
        const double dx = b[0] - a[0], dy = b[1] - a[1];
        seen[target] = 0;
        if (dx * dx + dy * dy > radius * radius) continue;
        std::int64_t here = viewer, before = -1;
        while (here >= 0 && here != target) {
            std::int64_t next = -1;
            for (int k = 0; k < 3; ++k) {
                const double* u = corners + 2 * triangles[3 * here + k];
                const double* v = corners + 2 * triangles[3 * here + (k + 1) % 3];
                if (beside[3 * here + k] == before && before >= 0) continue;
                if (turn(a, b, u) <= 0 && turn(a, b, v) > 0) next = beside[3 * here + k];
            }
            before = here;
            here = next;
        }
        if (here == target) {
            seen[target] = 1;
            ++total;
        }
    }
    return total;
}
}
