"""Parts of pictures in SVG, for the tools that draw them."""

from html import escape

# What the colours of matplotlib's charts are for readers who want it dark, as in draw_pictures.py.
# It writes a colour into the style of each element; black words have none, and take their sheet's.
DARK_CHARTS = """@media (prefers-color-scheme: dark) {
  svg { fill: #e8eef1 }
  [style*="fill: #ffffff"] { fill: #10171a !important }
  [style*="stroke: #000000"], [style*="stroke: #666666"] { stroke: #a3b3ba !important }
  [style*="stroke: #737373"] { stroke: #a3b3ba !important }
  [style*="fill: #737373"] { fill: #a3b3ba !important }
  [style*="stroke: #ebebeb"], [style*="stroke: #cccccc"] { stroke: #2a363b !important }
  [style*="fill: #2a7f9e"] { fill: #3d9dbf !important }
  [style*="stroke: #2a7f9e"] { stroke: #3d9dbf !important }
}"""


def text(x, y, words, kind="", anchor=""):
    """Words whose line begins, or has its middle, at a place."""
    kind = f' class="{kind}"' if kind else ""
    anchor = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y}"{kind}{anchor}>{escape(words)}</text>'


def picture(width, height, title, style, parts):
    """A picture on a sheet of the class "paper", with this style."""
    sheet = f'x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"'
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{style}</style>",
            f'<rect class="paper" {sheet}/>',
            *parts,
            "</svg>",
            "",
        ]
    )
