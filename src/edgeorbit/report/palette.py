"""The colours of every picture, told apart also by people who do not see red and green.

The paper draws indistinguishable links green and distinguishable ones blue. Here they are vermilion and thick against
slate blue and thin, which differ in hue for everybody, and in grey print by their width.
"""

INDISTINGUISHABLE = "#d55e00"
DISTINGUISHABLE = "#7b93ad"
INK = "#2b2f36"
FAINT_INK = "#6b7280"
GRID = "#e7e9ec"
EDGE_ORBITS = (INDISTINGUISHABLE, "#4b2a85", "#1b8f63", "#b8860b")  # where links are coloured by their orbit
ALONE = "#ffffff"  # a node with a role of its own
BEYOND_PALETTE = "#b9bec7"  # nodes of shared orbits for which there is no colour left

# One colour per shared orbit, the largest orbit first: hues and shades in turn, so that neighbours in the list differ
# in both. None is the vermilion of links.
ORBITS = (
    "#0b6fb3",
    "#f2c43d",
    "#1b8f63",
    "#c563a4",
    "#63c7e8",
    "#4b2a85",
    "#a8c545",
    "#8c1d3f",
    "#f3a6b8",
    "#7a5b2e",
    "#8fe0c0",
    "#b39ddb",
)
