"""Parts of pictures in SVG, for the tools that draw them."""

from html import escape


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
