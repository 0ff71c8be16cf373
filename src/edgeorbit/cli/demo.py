"""`edgeorbit demo`: the measure on built-in graphs, as a table that explains itself."""

from edgeorbit.cli import options
from edgeorbit.cli.console import output_console, print_json, working
from edgeorbit.cli.ear import measurement_table

# What to look at in each row.
GRAPHS = {
    "karate": "a real friendship network: few links look alike",
    "prism": "all links alike for a GNN, though triangle and matching links differ",
    "lobster": "a tree with repeated legs: many links look alike",
    "two-copies": "two copies of one graph: every link has a twin, so EAR is 1",
    "two-copies-joined": "the same with one link added: the difference spreads, round by round",
}


def demo_command(as_json: options.AsJson = False) -> None:
    """Measure built-in graphs and explain what the numbers mean.

    [bold]Example[/bold]

      edgeorbit demo
    """
    from edgeorbit.data import load_graph
    from edgeorbit.measures.ear import measure

    with working("measuring the built-in graphs"):
        found = [measure(load_graph(name)) for name in GRAPHS]
    if as_json:
        print_json([one.as_dict() for one in found])
        return
    console = output_console()
    console.print("How symmetric five small graphs look to a message-passing network\n", style="bold")
    console.print(measurement_table([(one, {}) for one in found], console.width))
    console.print()
    width = max(map(len, GRAPHS))
    for one, remark in zip(found, GRAPHS.values(), strict=True):
        console.print(f"{one.graph:<{width}}  {remark}", highlight=False)
    console.print(
        "\nEAR is the share of links that have a look-alike: another link whose two ends no message-passing network "
        "can tell from its own, however it is trained. EAR@K is what a network of K layers sees. alpha_V is the same "
        "share for nodes.\n\nYour own graph: edgeorbit ear links.csv",
        style="dim",
        highlight=False,
    )
