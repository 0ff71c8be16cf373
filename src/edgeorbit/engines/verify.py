"""The proof, by counting alone, that nodes of one colour have the same neighbours.

For every node and every colour of its neighbours the neighbours are counted; within a colour all nodes must have the
same counts. No hash value is involved, and the engine that made the colours does it on its own tables.
"""

from edgeorbit.engines.database import Database
from edgeorbit.engines.rounds import ARCS

DISAGREEING = """
WITH sizes AS (SELECT c, count(*) AS n FROM colours GROUP BY c HAVING count(*) > 1),
shared AS (SELECT k.node, k.c FROM colours k JOIN sizes z ON k.c = z.c),
counts AS (
    SELECT k.c, k.node, s.c AS seen, count(*) AS n
    FROM {arcs} a JOIN shared k ON a.u = k.node JOIN {senders} s ON a.v = s.node
    GROUP BY k.c, k.node, s.c
),
spans AS (SELECT c, seen, min(n) AS least, max(n) AS most, count(*) AS members FROM counts GROUP BY c, seen)
SELECT count(*) FROM spans s JOIN sizes z ON s.c = z.c WHERE s.least <> s.most OR s.members <> z.n
"""


def is_equitable(database: Database, senders: str = "colours") -> bool:
    """Tell whether nodes of one colour of the view `colours` have equally many neighbours of every colour.

    Parameters
    ----------
    database
        The engine, with views `edges` and `colours`.
    senders
        The view of nodes and colours that are counted: `colours` itself, or those that moved in the round before.
    """
    (disagreeing,) = database.fetch(DISAGREEING.format(arcs=ARCS, senders=senders))
    return int(disagreeing) == 0
