"""The proof, by counting alone, that nodes of one colour have the same neighbours.

For every node and every colour of its neighbours the neighbours are counted; within a colour all nodes must have the
same counts. No hash value is involved, and the engine that made the colours does it on its own tables.
"""

from edgeorbit.engines.database import Database
from edgeorbit.engines.rounds import ARCS

SHARED = """
SELECT k.node, k.c, z.n AS members
FROM colours k
JOIN (SELECT c, count(*) AS n FROM colours WHERE in_slice(c) GROUP BY c HAVING count(*) > 1) z ON k.c = z.c
WHERE in_slice(k.c)
"""
LOOKING = """
SELECT k.c, k.node, k.members, a.v AS other FROM {arcs} a JOIN shared k ON a.u = k.node
WHERE in_slice(a.u) AND in_slice(k.node)
"""
SEEING = """
SELECT l.c, l.node, l.members, s.c AS seen FROM looking l JOIN {senders} s ON l.other = s.node
WHERE in_slice(l.other) AND in_slice(s.node)
"""
COUNTS = """
SELECT c, node, seen, max(members) AS members, count(*) AS n FROM seeing WHERE in_slice(node) GROUP BY c, node, seen
"""
DISAGREEING = """
SELECT c, seen FROM counts WHERE in_slice(c, seen)
GROUP BY c, seen HAVING min(n) <> max(n) OR count(*) <> max(members)
"""


def is_equitable(database: Database, num_nodes: int, senders: str = "colours") -> bool:
    """Tell whether nodes of one colour of the view `colours` have equally many neighbours of every colour.

    Parameters
    ----------
    database
        The engine, with views `edges` and `colours`.
    num_nodes
        Number of rows of `colours`.
    senders
        The view of nodes and colours that are counted: `colours` itself, or those that moved in the round before.
    """
    steps = {
        "shared": SHARED,
        "looking": LOOKING.format(arcs=ARCS),
        "seeing": SEEING.format(senders=senders),
        "counts": COUNTS,
        "disagreeing": DISAGREEING,
    }
    with database.steps(steps, num_nodes):
        (disagreeing,) = database.fetch("SELECT count(*) FROM disagreeing")
    return int(disagreeing) == 0
