"""Charts as SVG text, on a light background and without anything to install."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

_INK, _FAINT, _PAPER = "#1f2933", "#cbd2d9", "#ffffff"
_COLOURS = ("#1f6feb", "#d9822b", "#2f855a", "#9b2c6f", "#5a67d8", "#718096")
_FONT = 'font-family="Helvetica, Arial, sans-serif"'

Bar = tuple[str, float, int]
"""A label, a value, and which of the colours it has."""


def bar_chart(title: str, bars: Sequence[Bar], marks: Mapping[str, float], *, most: float = 100.0) -> str:
    """Bars that lie, each with its value at its end, and lines across them for what they are held against."""
    left, width, row = 190.0, 560.0, 26.0
    top = 52.0 + 18.0 * len(marks)
    bottom = top + row * len(bars)
    drawn, lines, values = [_text(16, 28, title, size=16, weight="bold")], [], []
    for height in range(0, 101, 20):
        x = left + width * height / 100
        drawn += [
            _stroke(x, top, x, bottom, _FAINT),
            _text(x, bottom + 18, f"{most * height / 100:g}", anchor="middle"),
        ]
    # The furthest line is named highest, so that no line crosses the name of another.
    for number, (label, value) in enumerate(sorted(marks.items(), key=lambda mark: -mark[1])):
        x, y = left + width * value / most, 58.0 + 18.0 * number
        lines += [_stroke(x, y - 4, x, bottom, _INK, dashes="5 4")]
        drawn += [_text(x - 6, y, f"{label}: {value:.1f}", anchor="end")]
    for number, (label, value, colour) in enumerate(bars):
        y, length = top + row * number, width * value / most
        box = f'x="{left:g}" y="{y + 4:g}" width="{length:.1f}" height="{row - 8:g}"'
        drawn += [
            _text(left - 8, y + 18, label, anchor="end"),
            f'<rect {box} fill="{_COLOURS[colour % len(_COLOURS)]}"/>',
        ]
        values += [_text(left + length + 6, y + 18, f"{value:.1f}", weight="bold", halo=True)]
    return _drawing(left + width + 70, bottom + 32, [*drawn, *lines, *values])


Series = Mapping[str, Sequence[tuple[float, float]]]
"""Points by the name of their line; both numbers are above nought."""


def log_chart(title: str, across: str, series: Series, *, unit: str = "") -> str:
    """Lines over two logarithmic scales."""
    left, top, width, height = 80.0, 56.0, 520.0, 320.0
    xs = _powers([x for points in series.values() for x, _ in points])
    ys = _powers([y for points in series.values() for _, y in points])

    def place(x: float, y: float) -> tuple[float, float]:
        return left + width * _share(x, xs), top + height * (1 - _share(y, ys))

    drawn = [_text(16, 28, title, size=16, weight="bold")]
    for power in range(xs[0], xs[1] + 1):
        x, _ = place(10.0**power, 10.0 ** ys[0])
        label = f"{10**power:,}"
        drawn += [_stroke(x, top, x, top + height, _FAINT), _text(x, top + height + 18, label, anchor="middle")]
    for power in range(ys[0], ys[1] + 1):
        _, y = place(10.0 ** xs[0], 10.0**power)
        label = f"{10.0**power:,g} {unit}".strip()
        drawn += [_stroke(left, y, left + width, y, _FAINT), _text(left - 8, y + 4, label, anchor="end")]
    drawn.append(_text(left + width / 2, top + height + 40, across, anchor="middle"))
    for number, (name, points) in enumerate(series.items()):
        drawn += _line(name, [place(x, y) for x, y in points], number, left + width + 16, top + 12 + 22 * number)
    return _drawing(left + width + 190, top + height + 56, drawn)


def _line(name: str, places: Sequence[tuple[float, float]], number: int, x: float, y: float) -> list[str]:
    """One line with its points, and its entry in the legend; every second line is dashed."""
    colour = _COLOURS[number // 2 % len(_COLOURS)]
    dashes = "6 4" if number % 2 else ""
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in places)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    drawn = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>']
    drawn += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3.5" fill="{colour}"/>' for px, py in places]
    return [*drawn, _stroke(x, y, x + 26, y, colour, dashes=dashes, thick=2), _text(x + 32, y + 4, name)]


def _powers(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around some values."""
    first = math.floor(math.log10(min(values)))
    return first, max(first + 1, math.ceil(math.log10(max(values))))


def _share(value: float, powers: tuple[int, int]) -> float:
    return (math.log10(value) - powers[0]) / (powers[1] - powers[0])


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    size: int = 13,
    weight: str = "normal",
    halo: bool = False,
) -> str:
    """A text; a halo keeps it legible where lines run behind it."""
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    around = f' stroke="{_PAPER}" stroke-width="3" paint-order="stroke"' if halo else ""
    look = f'{_FONT} font-size="{size}" font-weight="{weight}" fill="{_INK}"{around}'
    return f"<text {where} {look}>{escape(text)}</text>"


def _stroke(x: float, y: float, to_x: float, to_y: float, colour: str, *, dashes: str = "", thick: int = 1) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{thick}"{dashed}/>'


def _drawing(width: float, height: float, drawn: Sequence[str]) -> str:
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    paper = f'<rect width="{width:g}" height="{height:g}" fill="{_PAPER}"/>'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">', paper, *drawn, "</svg>", ""])
