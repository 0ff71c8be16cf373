"""What is missing is fetched whole and checked, or a sentence says what to put where; only ever from this machine."""

import hashlib
import io
import os
import stat
import threading
import time
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from edgeorbit.data import DATASETS, load_graph, official_split
from edgeorbit.data import download as module
from edgeorbit.data.download import Archive, DownloadError, FileSet, fetch_file
from edgeorbit.errors import DatasetNotFoundError, EdgeorbitError

CONTENT = os.urandom(1 << 20)
SHA = hashlib.sha256(CONTENT).hexdigest()


class Server:
    """Serves what is put into `pages`; notes what was asked for."""

    def __init__(self, address):
        self.address = address
        self.pages = {}
        self.asked = []


@pytest.fixture
def server(monkeypatch):
    """A server on this machine, and leave to use it."""
    monkeypatch.setenv("EDGEORBIT_OFFLINE", "0")
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            state.asked.append(self.path)
            page = state.pages.get(self.path)
            if page is None:
                self.send_error(404)
            elif callable(page):
                page(self)
            else:
                self.send_response(200)
                self.send_header("Content-Length", str(len(page)))
                self.end_headers()
                self.wfile.write(page)

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state = Server(f"http://127.0.0.1:{http.server_address[1]}")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        http.shutdown()
        thread.join()


@contextmanager
def nothing_left(directory):
    """Whatever happens, the directory is as it was."""
    before = sorted(directory.rglob("*"))
    try:
        yield
    finally:
        assert sorted(directory.rglob("*")) == before


class TestFile:
    """One file."""

    def test_it_arrives_whole_with_progress(self, server, tmp_path):
        server.pages["/a"] = CONTENT
        seen = []
        fetch_file(f"{server.address}/a", tmp_path / "b" / "c", SHA, lambda done, total: seen.append((done, total)))
        assert (tmp_path / "b" / "c").read_bytes() == CONTENT
        assert [path.name for path in tmp_path.rglob("*")] == ["b", "c"]
        assert seen == sorted(seen) and len(seen) > 1 and seen[-1] == (len(CONTENT), len(CONTENT))

    def test_a_wrong_digest_leaves_nothing(self, server, tmp_path):
        server.pages["/a"] = CONTENT[:-1]
        with pytest.raises(DownloadError, match=rf"/a has the SHA-256 \w+, not {SHA}"), nothing_left(tmp_path):
            fetch_file(f"{server.address}/a", tmp_path / "a", SHA)

    def test_a_file_that_is_there_stays_if_the_new_one_is_wrong(self, server, tmp_path):
        server.pages["/a"] = b"other"
        (tmp_path / "a").write_bytes(b"mine")
        with pytest.raises(DownloadError):
            fetch_file(f"{server.address}/a", tmp_path / "a", SHA)
        assert (tmp_path / "a").read_bytes() == b"mine"

    def test_an_answer_that_breaks_off_leaves_nothing(self, server, tmp_path):
        def break_off(handler):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(CONTENT)))
            handler.end_headers()
            handler.wfile.write(CONTENT[:1000])

        server.pages["/a"] = break_off
        with pytest.raises(DownloadError, match="broke off after 1000 of 1048576 bytes"), nothing_left(tmp_path):
            fetch_file(f"{server.address}/a", tmp_path / "a", SHA)

    def test_an_answer_without_a_length_is_taken(self, server, tmp_path):
        def stream(handler):
            handler.send_response(200)
            handler.end_headers()
            handler.wfile.write(CONTENT)

        server.pages["/a"] = stream
        fetch_file(
            f"{server.address}/a", tmp_path / "a", SHA, lambda done, total: pytest.fail("the total is not known")
        )
        assert (tmp_path / "a").read_bytes() == CONTENT

    @pytest.mark.parametrize("after", [0, 1000])
    def test_silence_ends_soon(self, server, tmp_path, monkeypatch, after):
        monkeypatch.setattr(module, "TIMEOUT", 0.3)
        release = threading.Event()

        def wait(handler):
            if after:
                handler.send_response(200)
                handler.send_header("Content-Length", "2000")
                handler.end_headers()
                handler.wfile.write(CONTENT[:after])
                handler.wfile.flush()
            release.wait(60)

        server.pages["/a"] = wait
        begun = time.monotonic()
        try:
            with pytest.raises(DownloadError, match=r"127\.0\.0\.1 does not answer within 0 seconds"):
                fetch_file(f"{server.address}/a", tmp_path / "a", SHA)
        finally:
            release.set()
        assert time.monotonic() - begun < 60 and not (tmp_path / "a").exists()

    @pytest.mark.parametrize("tells_length", [True, False])
    def test_a_file_that_is_too_large_is_given_up_at_once(self, server, tmp_path, monkeypatch, tells_length):
        monkeypatch.setattr(module, "FILE_BYTES", 2_000_000)
        ended = threading.Event()

        def pour(handler):
            handler.send_response(200)
            if tells_length:
                handler.send_header("Content-Length", str(1 << 50))
            handler.end_headers()
            try:
                for _ in range(300):
                    handler.wfile.write(CONTENT)
            except OSError:
                ended.set()

        server.pages["/a"] = pour
        with (
            pytest.raises(DownloadError, match=r"/a has more than 2 MB, which no such file has"),
            nothing_left(tmp_path),
        ):
            fetch_file(f"{server.address}/a", tmp_path / "a", SHA)
        assert ended.wait(10)

    def test_a_file_as_large_as_the_limit_is_taken(self, server, tmp_path, monkeypatch):
        monkeypatch.setattr(module, "FILE_BYTES", len(CONTENT))
        server.pages["/a"] = CONTENT
        fetch_file(f"{server.address}/a", tmp_path / "a", SHA)
        assert (tmp_path / "a").read_bytes() == CONTENT

    @pytest.mark.parametrize("chunked", [False, True])
    def test_an_answer_that_trickles_ends_in_time(self, server, tmp_path, monkeypatch, chunked):
        monkeypatch.setattr(module, "TIMEOUT", 1.0)
        monkeypatch.setattr(module, "SLOWEST", 1e12)
        ended = threading.Event()

        def trickle(handler):
            handler.protocol_version = "HTTP/1.1"
            handler.send_response(200)
            handler.send_header(*(("Transfer-Encoding", "chunked") if chunked else ("Content-Length", "1000000")))
            handler.end_headers()
            try:
                for _ in range(200):
                    handler.wfile.write(b"1\r\nx\r\n" if chunked else b"x")
                    if ended.wait(0.05):
                        break
            except OSError:
                pass
            handler.close_connection = True

        server.pages["/a"] = trickle
        begun = time.monotonic()
        try:
            with pytest.raises(DownloadError, match=r"/a did not arrive within 1 seconds"), nothing_left(tmp_path):
                fetch_file(f"{server.address}/a", tmp_path / "a", SHA)
        finally:
            ended.set()
        assert time.monotonic() - begun < 100

    def test_nothing_is_created_before_a_server_answers(self, server, tmp_path):
        with nothing_left(tmp_path):
            with pytest.raises(DownloadError, match=r"127\.0\.0\.1 answers 404 to http"):
                fetch_file(f"{server.address}/none", tmp_path / "b" / "a", SHA)
            with pytest.raises(DownloadError, match=r"no connection to 127\.0\.0\.1: Connection refused"):
                fetch_file("http://127.0.0.1:9/a", tmp_path / "b" / "a", SHA)

    def test_what_is_not_http_is_said(self, server, tmp_path):
        server.pages["/a"] = lambda handler: handler.wfile.write(b"hello\r\n\r\n")
        with pytest.raises(DownloadError, match=r"127\.0\.0\.1 sends no proper answer"):
            fetch_file(f"{server.address}/a", tmp_path / "a", SHA)

    def test_a_place_that_cannot_be_written_is_not_blamed_on_the_network(self, server, tmp_path):
        server.pages["/a"] = CONTENT
        (tmp_path / "a").mkdir()
        with pytest.raises(EdgeorbitError, match="is a directory"):
            fetch_file(f"{server.address}/a", tmp_path / "a", SHA)


class TestDataSets:
    """Data sets by name."""

    @pytest.fixture
    def remote_cora(self, server, data_dir, monkeypatch):
        cora = DATASETS["cora"]
        for key, relative in cora.files.items():
            server.pages[f"/data/{cora.remote.names[key]}"] = (data_dir / relative).read_bytes()
        remote = replace(cora.remote, base=f"{server.address}/data")
        monkeypatch.setitem(DATASETS, "cora", replace(cora, remote=remote))

    def test_missing_files_are_fetched_once(self, remote_cora, server, data_dir, tmp_path):
        seen = []
        here = tmp_path / "data"
        graph = load_graph("cora", data_dir=here, progress=lambda done, total: seen.append(done / total))
        assert np.array_equal(graph.indices, load_graph("cora", data_dir=data_dir).indices)
        assert len(server.asked) == 8 and seen == sorted(seen) and seen[-1] == 1
        assert len([path for path in here.rglob("*") if path.is_file()]) == 8
        load_graph("cora", data_dir=here)
        assert len(server.asked) == 8

    def test_only_what_is_missing_is_fetched(self, remote_cora, server, tmp_path):
        load_graph("cora", data_dir=tmp_path)
        (tmp_path / "planetoid" / "Cora" / "raw" / "ind.cora.ty").unlink()
        server.asked.clear()
        load_graph("cora", data_dir=tmp_path)
        assert server.asked == ["/data/ind.cora.ty"]

    def test_a_pickle_with_another_digest_never_arrives(self, remote_cora, server, tmp_path):
        server.pages["/data/ind.cora.graph"] = b"cos\nsystem\n(S'true'\ntR."
        with pytest.raises(
            DatasetNotFoundError, match=r"could not be fetched \(.*graph has the SHA-256 .*\); put it there"
        ):
            load_graph("cora", data_dir=tmp_path)
        assert not (tmp_path / "planetoid" / "Cora" / "raw" / "ind.cora.graph").exists()

    def test_the_default_cache_is_made_if_need_be(self, remote_cora, cache, monkeypatch):
        monkeypatch.delenv("EDGEORBIT_DATA", raising=False)
        assert load_graph("cora").num_edges == 5278
        assert (cache / "data" / "planetoid" / "Cora" / "raw").is_dir()

    @pytest.mark.parametrize("value", ["1", "yes"])
    def test_offline_means_no_connection_at_all(self, remote_cora, server, tmp_path, monkeypatch, value):
        monkeypatch.setenv("EDGEORBIT_OFFLINE", value)
        with (
            pytest.raises(DatasetNotFoundError, match=r"ind\.cora\.x is missing; put it there"),
            nothing_left(tmp_path),
        ):
            load_graph("cora", data_dir=tmp_path)
        assert not server.asked

    def test_a_directory_that_cannot_be_written_is_not_fetched_into(self, remote_cora, server, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: False)
        with pytest.raises(DatasetNotFoundError, match=r"ind\.cora\.x is missing; put it there"):
            load_graph("cora", data_dir=tmp_path)
        assert not server.asked

    def test_without_a_network_one_sentence_says_what_to_put_where(self, tmp_path, monkeypatch):
        monkeypatch.setenv("EDGEORBIT_OFFLINE", "")
        for name in ("ns", "ogbl-collab"):
            dataset = DATASETS[name]
            field = "base" if isinstance(dataset.remote, FileSet) else "url"
            remote = replace(dataset.remote, **{field: "http://127.0.0.1:9/x.zip"})
            monkeypatch.setitem(DATASETS, name, replace(dataset, remote=remote))
            with pytest.raises(DatasetNotFoundError) as caught, nothing_left(tmp_path):
                load_graph(name, data_dir=tmp_path)
            message = str(caught.value)
            assert "could not be fetched (no connection to 127.0.0.1: Connection refused)" in message
            assert f"{tmp_path}/{next(iter(dataset.files.values()))} is missing" in message
            assert "put it there (it comes from https://" in message and "EDGEORBIT_DATA" in message
            assert "\n" not in message

    @pytest.mark.parametrize("name", [name for name, dataset in DATASETS.items() if dataset.family == "seal"])
    def test_the_digests_of_seal_are_those_of_its_files(self, name, data_dir):
        dataset = DATASETS[name]
        content = (data_dir / dataset.files["net"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == dataset.remote.digests["net"]

    def test_everything_that_has_files_can_be_fetched_over_a_safe_connection(self):
        for dataset in DATASETS.values():
            match dataset.remote:
                case FileSet(base, names, digests):
                    assert base.startswith("https://") and set(names) == set(digests) == set(dataset.files)
                case Archive(url, _, target):
                    assert url.startswith("https://") and url.endswith(".zip")
                    assert all(path.startswith(f"{target}/") for path in dataset.files.values())
                case None:
                    assert not dataset.files


class TestArchive:
    """OGB's zip files."""

    @pytest.fixture
    def pack(self, server, write_ogb, tmp_path, monkeypatch):
        """Move a small data set into an archive on the server; `change` sees the members before they are packed."""
        pytest.importorskip("torch")

        def serve(change=lambda members: members):
            edges = np.argwhere(np.triu(np.ones((9, 9)), 1))
            parts = {
                "train": {"edge": edges[:20]},
                "valid": {"edge": edges[20:24], "edge_neg": edges[28:30]},
                "test": {"edge": edges[24:28], "edge_neg": edges[30:]},
            }
            folder = write_ogb("ogbl-tiny", "time", 9, parts, np.eye(9))
            members = {
                f"tiny/{path.relative_to(folder).as_posix()}": path.read_bytes()
                for path in folder.rglob("*")
                if path.is_file()
            }
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("tiny/raw/", b"")
                for name, data in change(members).items():
                    archive.writestr(name, data)
            server.pages["/tiny.zip"] = content.getvalue()
            remote = Archive(f"{server.address}/tiny.zip", "tiny", "ogb/ogbl_tiny")
            monkeypatch.setitem(DATASETS, "ogbl-tiny", replace(DATASETS["ogbl-tiny"], remote=remote))
            here = tmp_path / "here"
            here.mkdir()
            return here

        return serve

    def test_it_is_unpacked_under_the_name_that_ogb_gives_it(self, pack, server):
        here, seen = pack(), []
        split = official_split("ogbl-tiny", data_dir=here, progress=lambda done, total: seen.append((done, total)))
        assert split.graph.num_edges == 20 and np.array_equal(split.graph.x, np.eye(9))
        assert (here / "ogb" / "ogbl_tiny" / "raw" / "edge.csv.gz").is_file()
        assert [path.name for path in here.iterdir()] == ["ogb"]
        assert [path.name for path in (here / "ogb").iterdir()] == ["ogbl_tiny"]
        assert seen[-1] == (len(server.pages["/tiny.zip"]),) * 2 and server.asked == ["/tiny.zip"]

    @pytest.mark.parametrize(
        "name",
        ["../evil", "tiny/../../evil", "/evil", "tiny/raw/../../../evil", "..\\evil", "C:evil", "tiny/raw/C:\\evil"],
    )
    def test_nothing_is_written_outside(self, pack, tmp_path, name):
        here = pack(lambda members: members | {name: b"evil"})
        before = sorted(tmp_path.iterdir())
        with pytest.raises(DatasetNotFoundError, match=r"evil.*, which lies outside of it"), nothing_left(here):
            load_graph("ogbl-tiny", data_dir=here)
        assert sorted(tmp_path.iterdir()) == before

    def test_links_are_refused(self, pack):
        link = zipfile.ZipInfo("tiny/raw/edge.csv.gz")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16

        def change(members):
            del members["tiny/raw/edge.csv.gz"]
            return members | {link: b"/etc/passwd"}

        here = pack(change)
        with (
            pytest.raises(DatasetNotFoundError, match=r"the archive has a link 'tiny/raw/edge\.csv\.gz'"),
            nothing_left(here),
        ):
            load_graph("ogbl-tiny", data_dir=here)

    def test_other_folders_are_left_aside(self, pack):
        here = pack(lambda members: members | {"__MACOSX/tiny/x": b"", "tiny.txt": b"", "tinyer/x": b""})
        load_graph("ogbl-tiny", data_dir=here)
        assert not list(here.rglob("x")) and not list(here.rglob("tiny.txt"))

    def test_an_archive_without_a_file_that_is_needed_leaves_nothing(self, pack):
        here = pack(lambda members: {name: data for name, data in members.items() if "valid" not in name})
        with pytest.raises(DatasetNotFoundError, match=r"there is no split/time/valid\.pt in http"), nothing_left(here):
            load_graph("ogbl-tiny", data_dir=here)

    @pytest.mark.parametrize("damage", ["garbage", "cut", "bit"])
    def test_a_damaged_archive_leaves_nothing(self, pack, server, damage):
        here = pack()
        good = server.pages["/tiny.zip"]
        place = good.index(b"node-feat") + 30
        flipped = good[:place] + bytes([good[place] ^ 255]) + good[place + 1 :]
        server.pages["/tiny.zip"] = {"garbage": b"garbage", "cut": good[:-100], "bit": flipped}[damage]
        with pytest.raises(DatasetNotFoundError, match="is no readable zip archive"), nothing_left(here):
            load_graph("ogbl-tiny", data_dir=here)

    def test_an_archive_larger_than_the_disk_leaves_nothing(self, pack, monkeypatch):
        here = pack()
        usage = module.shutil.disk_usage(here)
        monkeypatch.setattr(module.shutil, "disk_usage", lambda path: usage._replace(free=10))
        with pytest.raises(DatasetNotFoundError, match=r"it unpacks to .* GB are free"), nothing_left(here):
            load_graph("ogbl-tiny", data_dir=here)

    def test_an_archive_of_more_than_any_has_is_not_fetched_or_unpacked(self, pack, server, monkeypatch):
        here = pack()
        size = len(server.pages["/tiny.zip"])
        for name, limit, sentence in [
            ("ARCHIVE_BYTES", size - 1, "has more than 0 MB, which no such file has"),
            ("UNPACKED_BYTES", size, "it unpacks to 0 GB, which no such archive does"),
        ]:
            with monkeypatch.context() as patch:
                patch.setattr(module, name, limit)
                with pytest.raises(DatasetNotFoundError, match=sentence), nothing_left(here):
                    load_graph("ogbl-tiny", data_dir=here)

    def test_an_incomplete_folder_is_not_touched(self, pack, server):
        here = pack()
        mine = here / "ogb" / "ogbl_tiny" / "mine.txt"
        mine.parent.mkdir(parents=True)
        mine.write_text("mine")
        with pytest.raises(DatasetNotFoundError, match="is there but incomplete; move it away"), nothing_left(here):
            load_graph("ogbl-tiny", data_dir=here)
        assert not server.asked

    def test_counts_are_checked_after_unpacking(self, pack, monkeypatch):
        here = pack()
        monkeypatch.setitem(DATASETS, "ogbl-tiny", replace(DATASETS["ogbl-tiny"], num_nodes=10))
        with pytest.raises(EdgeorbitError, match="holds 9 nodes and 28 edges, not 10 and 28"):
            load_graph("ogbl-tiny", data_dir=here)
