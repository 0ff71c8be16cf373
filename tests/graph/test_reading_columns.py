"""Which columns of a table are the ends of links, and what is said of what was read."""

import gzip
import io
import json
import sys

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeorbit import load
from edgeorbit.cli.reading import split_columns
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError
from edgeorbit.graph import Graph
from edgeorbit.graph.reading import read_graph
from edgeorbit.graph.reading.column_names import ROLES, named_pairs

RNG = np.random.default_rng(100)
ACCOUNTS = [f"A{number}" for number in RNG.integers(0, 12, 200)]


def table(header: str, *columns, rows: int = 40, separator: str = ",") -> str:
    """Return a table whose cells are made from the number of the row."""
    lines = [separator.join(str(column(i)) for column in columns) for i in range(rows)]
    return "\n".join([*([header] if header else []), *lines]) + "\n"


def account(offset: int):
    return lambda i: ACCOUNTS[i * 3 + offset]


def day(i: int) -> str:
    return f"2024-01-{i % 28 + 1:02}"


def amount(i: int) -> str:
    return f"{i * 7 % 100}.50"


@pytest.fixture
def read(tmp_path):
    def read_text(content: str | bytes, **options) -> Graph:
        path = tmp_path / "t.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_graph(path, **options)

    return read_text


@pytest.mark.parametrize(
    ("content", "columns", "why"),
    [
        (table("booked_at,tx_id,amount,payer,payee", day, int, amount, account(0), account(1)), "payer payee", "by name"),
        (table("payer,beneficiary", account(0), account(1)), "payer beneficiary", "by name"),
        (table("tag;Betrag;Zahler;Empfänger", day, lambda i: f"1.{i + 100},50", account(0), account(1), separator=";"),
         "Zahler Empfänger", "by name"),
        (table("nameOrig,old,nameDest", account(0), amount, account(1)), "nameOrig nameDest", "by name"),
        (table("FROM_NODE\tTO_NODE\tN", account(0), account(1), int, separator="\t"), "FROM_NODE TO_NODE", "by name"),
        (table("start_time,start_id,end_time,end_id", day, account(0), day, account(1)), "start_id end_id", "by name"),
        (table(",payer_id,payee_id,payer_name,payee_name", int, account(0), account(1), account(2), account(0)),
         "payer_id payee_id", "by name"),
        (table("wann,wer,wem,currency", day, account(0), account(1), lambda i: "EUR"), "wer wem", "the only two that"),
        (table("when,who,city,whom", day, account(0), lambda i: f"town {i}", account(1)), "who whom", "they have values"),
        (table("knoten,partner", account(0), account(1)), "knoten partner", "the only two columns"),
        (table("", account(0), account(1), amount), "0 1", "the first two"),
        (table("", day, account(0), account(1)), "1 2", "the only two that"),
        (table("", account(0), account(1)), "0 1", "the only two columns"),
    ],
)  # fmt: skip
def test_the_ends_of_links_are_found_by_name_or_by_content(read, content, columns, why):
    graph = read(content)
    report = graph.read_report
    assert (report.columns, report.header) == (tuple(columns.split()), not columns[0].isdigit())
    assert report.why.startswith(why)
    assert set(graph.node_names.tolist()) <= set(ACCOUNTS)
    assert graph.num_edges + graph.merged_edges + graph.self_loops == 40


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (table("a,b,c", account(0), account(1), lambda i: f"x{i}{i}"), {}, None),
        (table("src,dst,from,to", *map(account, (0, 1, 2, 0))), {}, "--columns src,dst or --columns from,to"),
        (
            table("kunde,ort,filiale", account(0), lambda i: f"o{i % 5}", lambda i: f"f{i % 7}"),
            {},
            "--columns kunde,ort",
        ),
        (table("u,v,w", lambda i: i % 5, lambda i: i % 7, lambda i: i % 9), {}, None),
        (table("Von Ort,Nach Ort,Von Haus,Nach Haus", *map(account, (0, 1, 2, 0))), {}, "--columns 'Von Ort,Nach Ort'"),
        (table("day,name", day, account(0)), {}, "column day holds times and no node ids"),
        (table("name,score", account(0), amount), {}, "column score holds decimal numbers and no node ids"),
        (table("", account(0), day, account(1), account(2)), {}, "choose two of 0, 2, 3, for instance --columns 0,2"),
        (table("from,to", account(0), account(1)), {"header": False, "columns": ("from", "to")}, "no names without a"),
        (table("from,to", account(0), account(1)), {"encoding": "klingon"}, "encoding 'klingon' is unknown"),
        (table("a,b", account(0), account(1)), {"weight": "c"}, "there is no column 'c'"),
        (table("a,b", account(0), account(1)), {"weight": "a"}, "holds node ids"),
        (table("", account(0), account(1), int), {"weight": "w", "header": False}, "give --weight a number"),
    ],
)
def test_what_is_not_clear_is_refused_with_a_way_out(read, content, options, message):
    if message is None:
        assert read(content, **options).read_report.why in ("by name", "they have values in common")
        return
    with pytest.raises(EdgeorbitError) as caught:
        read(content, **options)
    assert message in str(caught.value) and "t.csv" in str(caught.value) + "t.csv" * (message.startswith("encoding"))


@given(
    st.sampled_from(ROLES),
    st.sampled_from(["{}", "{}_id", "id {}", "{} Konto"]),
    st.sampled_from([str.upper, str.title, str]),
)
@settings(max_examples=60, deadline=None)
def test_every_role_is_found_in_any_case_beside_other_columns(role, form, spelled):
    names = ["amount", *(spelled(form.format(word)) for word in role), "booked at"]
    assert named_pairs(names)[0].columns == (1, 2)
    assert named_pairs(names[::-1])[0].columns == (2, 1)  # the source stays the first of the two


@pytest.mark.parametrize(
    ("first", "row", "is_header"),
    [
        ("zahler_konto,empf_konto", lambda i: f"DE{i % 7}44,DE{i % 5}12", True),  # no digits above digits
        ("Wer,Wem", lambda i: f"ann{'abc'[i % 3]},bob{'xyz'[i % 3]}", True),  # capitals above none
        ("anna,boba", lambda i: f"ann{'abc'[i % 3]},bob{'xyz'[i % 3]}", False),  # comes again
        ("annz,bobz", lambda i: f"ann{'abc'[i % 3]},bob{'xyz'[i % 3]}", False),  # looks like the others
        ("hub,A1", lambda i: f"A{i % 7},A{i % 5}", False),
        ("2024-01-01,A1", lambda i: f"{day(i)},A{i % 5}", False),
    ],
)  # fmt: skip
def test_a_header_differs_in_kind_from_what_is_below(read, first, row, is_header):
    content = "\n".join([first, *map(row, range(30))])
    columns = (0, 1)
    assert read(content, columns=columns).read_report.header is is_header
    assert first.split(",")[0] in read(content, columns=columns, header=False).node_names.tolist()
    assert read(content, columns=columns, header=True).read_report.columns == tuple(first.split(","))


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig"])
def test_encodings_give_the_same_names(read, encoding):
    content = table("von,nach", account(0), lambda i: f"Müßig {i % 3}")
    expected = read(content).node_names.tolist()
    assert read(content.encode(encoding), encoding=encoding).node_names.tolist() == expected
    if encoding == "latin-1":
        with pytest.raises(GraphFormatError, match=r"line 2: the node id is not UTF-8 text.*--encoding"):
            read(content.encode(encoding))
    if encoding == "utf-16":
        with pytest.raises(GraphFormatError, match="--encoding utf-16"):
            read(content.encode(encoding))


def test_what_is_no_text_in_an_encoding_names_the_line(read):
    with pytest.raises(GraphFormatError, match=r"line 2: is not text in utf-16; give another --encoding"):
        read("a,b\nc,".encode("utf-16") + b"\x00\xd8\x00\xd8", encoding="utf-16")


def test_bad_rows_are_skipped_and_counted(read):
    rows = [f"{i},{i + 1},2" for i in range(30)]
    bad = {3: "3,,2", 9: "7", 12: "8,-9,1", 20: "8,9,x", 25: '"8,9,1'}
    for place, row in bad.items():
        rows[place] = row
    content = "u,v,w\n" + "\n".join(rows) + "\n"
    graph = read(content, skip_bad_rows=True, weight="w")
    assert (graph.read_report.skipped_rows, graph.num_edges) == (5, 25)
    assert graph.read_report.first_skipped == "line 5: node id 2 is missing"
    assert graph.edge_weight.tolist() == [2.0] * 25
    with pytest.raises(GraphFormatError, match=r"line 5: node id 2 is missing.*--skip-bad-rows"):
        read(content)
    with pytest.raises(GraphFormatError, match="all 2 rows are bad"):
        read("u,v\n1,\n2,\n", skip_bad_rows=True)


def test_the_report_counts_directions_repeats_and_loops_at_any_size(read):
    for size in (60, 60_000):  # sorted by numpy, and by the kernels
        pairs = np.random.default_rng(size).integers(0, size // 6, (size, 2))
        directed = {tuple(pair) for pair in pairs.tolist() if pair[0] != pair[1]}
        edges = {frozenset(pair) for pair in directed}
        graph = read("".join(f"{u} {v}\n" for u, v in pairs))
        assert graph.reciprocal_edges == len(directed) - len(edges) > 0
        assert graph.merged_edges - graph.reciprocal_edges == size - graph.self_loops - len(directed)
        assert graph.num_edges == len(edges)


def test_the_sentence_and_its_fields(read, tmp_path):
    graph = read("day,payer,payee\n1,a,b\n2,b,a\n3,a,b\n4,c,c\n")
    counts = (graph.num_edges, graph.merged_edges, graph.reciprocal_edges, graph.self_loops)
    assert graph.read_report.sentence(*counts) == (
        f"{tmp_path / 't.csv'}: edge list with a header, node ids from payer and payee (by name), ignored: day; 4 rows, "
        "direction not used: 1 pair in both directions and 1 repeat merged, 1 self-loop dropped."
    )
    fields = json.loads(json.dumps(graph.read_report.as_dict(*counts)))
    assert (fields["rows"], fields["repeats_merged"], fields["ignored"]) == (4, 1, ["day"])


def test_parquet_columns_are_found_by_name_and_type(tmp_path):
    path = tmp_path / "t.parquet"
    times = pa.array([1, 2], pa.timestamp("us"))
    pq.write_table(pa.table({"at": times, "wer": ["a", "b"], "wem": ["b", "c"], "x": [0.5, 1.5]}), path)
    graph = read_graph(path, weight="x", time="at")
    assert (graph.read_report.columns, graph.read_report.ignored) == (("wer", "wem"), ())
    assert graph.edge_weight.tolist() == [0.5, 1.5] and graph.history.time.dtype == "datetime64[us]"
    with pytest.raises(InvalidParameterError, match="header cannot be given in parquet"):
        read_graph(path, header=True)


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_standard_input_is_read_like_a_file_and_is_bounded(monkeypatch, compress):
    content = compress(b"payer,payee\na,b\nb,c\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    graph = read_graph("-")
    assert (graph.name, graph.num_edges, graph.read_report.file) == ("standard input", 2, "standard input")
    monkeypatch.setattr("edgeorbit.graph.reading.source.MAX_PIPED_BYTES", 10)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 2\n" * 10)))
    with pytest.raises(GraphFormatError, match="save it to a file"):
        read_graph("-")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(GraphFormatError, match="is empty, or was read before"):
        read_graph("-")


def test_an_encoding_that_cannot_replace_letters_is_refused_by_a_sentence(tmp_path):
    path = tmp_path / "e.csv"
    path.write_bytes(b"a\xff,b\nc,d\n")
    with pytest.raises(GraphFormatError, match="is not text in idna"):
        read_graph(path, encoding="idna")


def test_options_of_other_types_are_refused_by_a_sentence(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("1,2\n2,3\n")
    frame = pa.table({"a": [1, 2], "b": [2, 3]})
    for source in (path, frame):
        for columns in (5, (0,), (1, -1)):
            with pytest.raises(InvalidParameterError, match=r"columns|column -1"):
                load(source, columns=columns)
    with pytest.raises(InvalidParameterError, match="encoding '5' is unknown"):
        load(path, encoding=5)


@pytest.mark.parametrize("column", ["²", "1" * 5000])
def test_what_is_no_number_of_a_column_is_a_name(column):
    assert split_columns(f"{column},7") == [column, 7]


@pytest.mark.parametrize(("name", "write"), [("g.gexf", nx.write_gexf), ("g.net", nx.write_pajek)])
def test_gexf_and_pajek_are_what_networkx_wrote(tmp_path, name, write):
    graph = nx.relabel_nodes(nx.karate_club_graph(), {node: f"member {node}" for node in range(34)})
    graph.add_node("on his own")
    nx.set_edge_attributes(graph, {edge: 1.5 + place for place, edge in enumerate(graph.edges)}, "weight")
    write(graph, tmp_path / name)
    found = read_graph(tmp_path / name, weight="weight")
    assert {frozenset(pair) for pair in found.names(found.edges).tolist()} == set(map(frozenset, graph.edges))
    assert set(found.node_names.tolist()) == set(graph.nodes)
    for (u, v), weight in zip(found.names(found.edges).tolist(), found.edge_weight.tolist(), strict=True):
        assert graph.edges[u, v]["weight"] == weight
    unnamed = tmp_path / "without-suffix"
    unnamed.write_bytes((tmp_path / name).read_bytes())
    assert read_graph(unnamed).num_edges == 78
    with pytest.raises(InvalidParameterError, match="give --weight weight"):
        read_graph(tmp_path / name, weight="value")


@pytest.mark.parametrize(("name", "write"), [("g.gexf", nx.write_gexf), ("g.net", nx.write_pajek)])
def test_negative_weights_are_refused_only_where_weights_are_read(tmp_path, name, write):
    graph = nx.path_graph(["a", "b", "c"])
    nx.set_edge_attributes(graph, -2.5, "weight")
    write(graph, tmp_path / name)
    assert read_graph(tmp_path / name).num_edges == 2
    with pytest.raises(GraphFormatError, match=r"'-2\.5' is no finite number from 0"):
        read_graph(tmp_path / name, weight="weight")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("*Vertices 2\n*Arcs\n1 3\n", "line 3: '3' is no vertex from 1 to 2"),
        ("*Vertices 2\n*Arcs\n1\n", "line 3: expected two vertices"),
        ("*Vertices x\n", "line 1: expected the number of vertices"),
        ("*Vertices 2\n*Matrix\n0 1\n", "line 2: a *Matrix is not read"),
        ("*Vertices 2\n*Edges\n1 2 -3\n", "line 3: weight '-3' is no finite number"),
        ("*Vertices 2\n*Vertices 2\n", "line 2: there are several networks"),
        ("*Vertices 2000000000\n", "of memory"),
    ],
)
def test_a_bad_pajek_file_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "g.net"
    path.write_text(content)
    with pytest.raises(EdgeorbitError) as caught:
        read_graph(path, weight="weight")
    assert message in str(caught.value)


def test_pajek_lists_of_neighbours_and_vertices_without_labels(tmp_path):
    path = tmp_path / "g.net"
    path.write_text('% mine\n*Network small\n*Vertices 4\n1 "a b"\n*Edgeslist\n1 2 3\n*Arcs :1 "friends"\n3 4 2.5\n')
    graph = read_graph(path)
    assert graph.names(graph.edges).tolist() == [[1, 2], [1, 3], [3, 4]]
