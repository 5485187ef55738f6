"""Bar charts of the tables of benchmarks, drawn as SVG when the site is built: one below each table
whose last column holds ratios.
"""

import html
import math
import re

_ROW, _BAR, _LEFT, _WIDE = 22, 12, 330, 760
_RATIO = re.compile(r"([\d,.]+)x")
_TABLE = re.compile(r"(?:^\|.*\|[ ]*\n)+", re.MULTILINE)


def with_charts(page: str) -> str:
    """The page with a chart below each table that has ratios."""
    return _TABLE.sub(lambda table: table[0] + _chart(table[0]), page)


def _chart(table: str) -> str:
    lines = [
        [part.strip() for part in line.strip().strip("|").split("|")]
        for line in table.strip().splitlines()
    ]
    bars, case = [], ""
    for cells in lines[2:]:
        case = cells[0] or case
        peer = f"{case}: {cells[2]}" if len(cells) > 3 and not _RATIO.search(cells[2]) else case
        found = _RATIO.search(cells[-1]) or _RATIO.search(cells[-2])
        if found:
            bars.append((peer.replace("`", ""), float(found[1].replace(",", ""))))
    return "" if len(bars) < 3 else "\n" + _svg(bars) + "\n"


def _svg(bars: list[tuple[str, float]]) -> str:
    most = max(max(ratio for _, ratio in bars), 10.0)
    scale = (_WIDE - _LEFT - 70) / math.log10(most)
    high = _ROW * len(bars) + 30
    parts = [
        f'<svg viewBox="0 0 {_WIDE} {high}" width="100%" role="img" aria-label="Times faster than'
        ' the peer, logarithmic" style="font: 11px sans-serif" fill="currentColor">'
    ]
    for power in range(math.floor(math.log10(most)) + 1):
        x = _LEFT + scale * power
        parts.append(
            f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{high - 22}" stroke="currentColor"'
            ' opacity="0.2"/>'
        )
        parts.append(f'<text x="{x:.1f}" y="{high - 8}" text-anchor="middle">{10**power:,}x</text>')
    for number, (name, ratio) in enumerate(bars):
        y = _ROW * number + 4
        wide = scale * math.log10(max(ratio, 1e-9))
        x, color = (_LEFT, "#2f7fd0") if wide >= 0 else (_LEFT + wide, "#d0672f")
        text = name if len(name) <= 58 else name[:57] + "…"
        parts.append(
            f'<text x="{min(_LEFT, x) - 8:.1f}" y="{y + 10}"'
            f' text-anchor="end">{html.escape(text)}</text>'
        )
        parts.append(
            f'<rect x="{x:.1f}" y="{y}" width="{max(abs(wide), 1):.1f}" height="{_BAR}"'
            f' fill="{color}" rx="2"/>'
        )
        parts.append(
            f'<text x="{max(_LEFT + wide, _LEFT) + 6:.1f}" y="{y + 10}">{ratio:,g}x</text>'
        )
    return "\n".join(["<div>", "".join(parts) + "</svg>", "</div>"]) + "\n"
