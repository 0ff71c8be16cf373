"""Experiment files: what they may say, what becomes of it, and errors that name the line."""

from collections import Counter

import pytest

from edgeorbit.errors import InvalidParameterError
from edgeorbit.experiments.plan import Cell
from edgeorbit.experiments.reading import read_experiment
from experiments.small_experiment import SMALL, write


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "seeds = 2",
            "seed = 2",
            r" line 2, seed: there is no key 'seed' here; choose from backtest, data, features_of, kind",
        ),
        ("seeds = 2", "seeds = 0", " line 2, seeds: must be at least 1, not 0"),
        ("seeds = 2", "seeds = true", " line 2, seeds: give a whole number, not True"),
        ("seeds = 2", 'kind = "pie"', " line 2, kind: 'pie' is unknown; choose from 'table', 'curve', 'abl"),
        ('"ra", "gcn"', '"ra",\n  "gcm"', r" line 4, models\[1\]: 'gcm' is unknown; choose from cn, aa"),
        ('"ra", "gcn"', '"ra", "ra"', r" line 3, models\[1\]: 'ra' is there twice"),
        ('["ra", "gcn"]', "[]", " line 3, models: give at least 1, not 0"),
        ("epochs = 2", "epoch = 2", " line 7, training.epoch: training has no setting 'epoch'"),
        ("epochs = 2", "epochs = 0", " line 7, training.epochs: epochs must be at least 1, not 0"),
        ("epochs = 2", 'epochs = "20"', " line 7, training.epochs: give a whole number, not '20'"),
        ("epochs = 2", "epochs = 20.0", " line 7, training.epochs: give a whole number, not 20.0"),
        ("epochs = 2", "epochs = true", " line 7, training.epochs: give a whole number, not True"),
        ("epochs = 2", "exclude_isolated = 1", " line 7, training.exclude_isolated: give true or false, not 1"),
        ("epochs = 2", "learning_rate = '1'", " line 7, training.learning_rate: give a number, not '1'"),
        ('metric = "auc"', "metric = 1", " line 8, training.metric: give text in quotes, not 1"),
        (
            "seeds = 1",
            "training_of.gcn.epochs = '3'",
            r" line 25, data\[1\].training_of.gcn.epochs: give a whole number",
        ),
        ("settings.gcn", "settings.gcm", " line 10, settings.gcm: 'gcm' is unknown; choose from all, cn"),
        (
            "[settings.gcn]",
            "[training_of.gcm]\nepochs = 1\n[settings.gcn]",
            " line 10, training_of.gcm: 'gcm' is unknown; choose from cn",
        ),
        (
            "[settings.gcn]",
            "[training_of.gcn]\nepochs = 0\n[settings.gcn]",
            " line 11, training_of.gcn.epochs: epochs must be at least 1, not 0",
        ),
        ("seeds = 2", "features_of.gcm = ['constant']", " line 2, features_of.gcm: 'gcm' is unknown; choose from cn"),
        ("seeds = 2", "features_of.gcn = ['no']", r" line 2, features_of.gcn\[0\]: 'no' is unknown; choose from"),
        ("seeds = 1", "features_of.gcm = ['constant']", r" line 25, data\[1\].features_of.gcm: 'gcm' is unknown; choo"),
        ("seeds = 1", "training_of.gcm.epochs = 1", r" line 25, data\[1\].training_of.gcm: 'gcm' is unknown"),
        ("seeds = 1", "training_of.gcn.epochs = 0", r" line 25, data\[1\].training_of.gcn.epochs: epochs must be at l"),
        ("seeds = 1", "settings.gcm.dropout = 1", r" line 25, data\[1\].settings.gcm: 'gcm' is unknown; choose from"),
        ('source = "karate"', "", r" line 13, data\[0\]: give either source or generator"),
        ('features = ["constant"]', 'features = "constant"', r" line 16, data\[0\].features: give a list, not 'con"),
        (
            'features = ["constant"]',
            'features = ["wrong"]',
            r" line 16, data\[0\].features\[0\]: 'wrong' is unknown; choo",
        ),
        ('negatives = ["orbit"]', 'negatives = ["hard"]', r" line 23, data\[1\].negatives\[0\]: 'hard' is unknown"),
        ("{ edges = 40 }", "40", r" line 21, data\[1\].options: give a table, not 40"),
        ('"syn-karate"', '"grit"', r" line 20, data\[1\].generator: 'grit' is not a generator; did you mean grid"),
        ('"syn-karate"', '"syn-karat"', r" line 20, data\[1\].generator: karat: no such file, .*did you mean karate"),
        (
            "edges = 40",
            "eer = 0.5",
            r" line 21, data\[1\].options.eer: syn-karate has no option 'eer'; did you mean ear",
        ),
        ("edges = 40", "ear = 5", r" line 21, data\[1\].options.ear: a target EAR lies from 0 to 1, not at 5"),
        (
            '"syn-karate"\noptions = { edges = 40 }',
            '"twins"\noptions = { of = "links.csv" }',
            r" line 21, data\[1\].options.of: links.csv: no such file",
        ),
        ('source = "karate"', 'source = "karat"', r" line 15, data\[0\].source: karat: .* did you mean karate"),
        (
            'source = "karate"',
            'source = "a/links.csv"',
            r" line 15, data\[0\].source: a/links.csv: no such file, and no",
        ),
        ('source = "karate"', 'source = "."', r" line 15, data\[0\].source: .* is a directory without graph.json"),
        ('source = "karate"', 'source = "syn-cora"', r" line 15, data\[0\].source: .* write generator = \"syn-cora\""),
        (
            'source = "karate"',
            'source = "karate"\nfeatures_from = "citeser"',
            r" line 16, data\[0\].features_from: citeser: .* did you mean citeseer",
        ),
        ('"two karates"', '"karate"', r" line 19, data\[1\].name: there is another graph 'karate'"),
        ('name = "two karates"', "", r" line 18, data\[1\]: give the graph a name"),
        ("seeds = 1", "colour = 1", r" line 25, data\[1\].colour: there is no key 'colour' here; choose from also"),
        ("orbit_rounds = 2", "also = { gcm = 1 }", r" line 24, data\[1\].also.gcm: 'gcm' is unknown; choose from cn"),
        ("orbit_rounds = 2", "also = { gin = 0 }", r" line 24, data\[1\].also.gin: must be at least 1, not 0"),
        ("orbit_rounds = 2", "features_from = 'x'", r" line 24, data\[1\].features_from: goes with source alone"),
        (
            'negatives = ["orbit"]',
            'negatives = ["heart"]\nexact = true',
            r" line 24, data\[1\].exact: goes with orbit negatives alone",
        ),
        ("[training]", "[training", ": is no TOML: .*line 6"),
    ],
)
def test_a_file_that_cannot_be_run_is_refused_with_the_line_and_the_key(tmp_path, old, new, said) -> None:
    path = write(tmp_path, _once(SMALL, old, new))
    with pytest.raises(InvalidParameterError, match=said) as error:
        read_experiment(path)
    assert str(error.value).startswith(str(path)) and "\n" not in str(error.value)


def _once(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            "[published.auc.random]\nra = [3]\n",
            r" line 27, published.auc.random.ra: give a table, .*by graph, metric",
        ),
        ("[published.karate.auc.random]\nra = [1, 2, 3]\n", " line 27, published.karate.auc.random.ra: give at most 2"),
        ("[published.karate.auc.random]\nra = 3\n", " line 27, published.karate.auc.random.ra: give a list"),
        ("[published.cora.auc.random]\nra = [3]\n", " line 26, published.cora: 'cora' is unknown; choose from karate"),
        ("[published.karate.acc.random]\nra = [3]\n", " line 26, published.karate.acc: 'acc' is unknown"),
        ("[published.karate.auc.luck]\nra = [1]\n", " line 26, published.karate.auc.luck: 'luck' is unknown"),
        ('[published."two karates".auc.random]\nno = [1]\n', " line 27, published.\"two karates\".auc.random.no: 'no'"),
        ("[quick]\ndata = ['x']\n", r" line 27, quick.data\[0\]: 'x' is unknown; choose from karate, two karates"),
        ("[quick]\nepochs = 0\n", " line 27, quick.epochs: must be at least 1"),
        ("[variants.x]\nmodel = 'y'\n", " line 27, variants.x.model: 'y' is unknown"),
        ("[variants.x]\nmodel = 'gcn'\ntraining = { epoch = 1 }\n", " line 28, variants.x.training.epoch"),
        ("[variants.gcn]\nmodel = 'gcn'\n", " line 26, variants.gcn: gcn is a model"),
        ("[variants]\nx = 3\n", " line 27, variants.x: give a table"),
        ("[variants.x]\n", " line 26, variants.x.model: is missing"),
    ],
)
def test_tables_that_say_nothing_are_refused_with_the_line_and_the_key(tmp_path, said, sentence) -> None:
    with pytest.raises(InvalidParameterError, match=sentence):
        read_experiment(write(tmp_path, SMALL + said))


def test_a_file_without_graphs_and_one_that_is_not_there_are_told(tmp_path) -> None:
    with pytest.raises(InvalidParameterError, match=r"data: is missing; add a table \[\[data\]\]"):
        read_experiment(write(tmp_path, "seeds = 1"))
    with pytest.raises(InvalidParameterError, match=r"nothing\.toml"):
        read_experiment(tmp_path / "nothing.toml")


def test_a_long_value_is_not_repeated_whole(tmp_path) -> None:
    file = tmp_path / "long.toml"
    file.write_text(f"title = [{', '.join(map(str, range(500)))}]\n")
    with pytest.raises(
        InvalidParameterError, match=r"line 1, title: give text in quotes, not \[0, 1, .*\.\.\..* 499\]$"
    ) as told:
        read_experiment(file)
    assert len(str(told.value)) < len(str(file)) + 150


def test_settings_that_a_model_does_not_have_are_found_before_anything_is_run(tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    for old, said in (("hidden_channels = 8", "settings.gcn.width"), ("[settings.gcn]", "settings.all.width")):
        text = SMALL.replace("hidden_channels = 8", "width = 8")
        text = text if old != "[settings.gcn]" else text.replace(old, "[settings.all]")
        path = write(tmp_path, text)
        with pytest.raises(InvalidParameterError, match=f" line 11, {said}: "):
            read_experiment(path, thorough=True)


def test_published_figures_stand_by_graph_metric_negatives_and_model_or_variant(tmp_path) -> None:
    text = (
        SMALL
        + '[variants."gcn, wide"]\nmodel = "gcn"\n[published."two karates".mrr.orbit]\nra = [70]\n"gcn, wide" = [50, 5]\n'
    )
    found = read_experiment(write(tmp_path, text)).published
    assert found == {"two karates": {"mrr": {"orbit": {"ra": [70.0], "gcn, wide": [50.0, 5.0]}}}}


def test_what_the_report_needs_is_kept(tmp_path) -> None:
    found = read_experiment(write(tmp_path, 'kind = "curve"\nprotocol = "Theirs."\nremarks = "Ours."\n' + SMALL))
    assert (found.kind, found.protocol, found.remarks, found.title) == ("curve", "Theirs.", "Ours.", "Small")
    plain = read_experiment(write(tmp_path, SMALL))
    assert (plain.kind, plain.protocol, plain.remarks, plain.published, plain.tuned) == ("table", "", "", {}, None)


def test_a_quick_look_has_one_seed_and_few_epochs(tmp_path) -> None:
    every = read_experiment(write(tmp_path, SMALL))
    assert [str(cell) for cell in every.quick] == [str(cell) for cell in every.cells if cell.seed == 0]
    assert {cell.training["epochs"] for cell in every.quick} == {2}
    some = read_experiment(write(tmp_path, SMALL + '[quick]\nmodels = ["gcn"]\ndata = ["karate"]\nepochs = 1\n')).quick
    assert [str(cell) for cell in some] == ["gcn on karate, constant features, seed 0"]
    assert some[0].training == {"epochs": 1, "metric": "auc"} and some[0].key not in {cell.key for cell in every.cells}


def test_a_graph_can_have_further_models_with_seeds_of_their_own(tmp_path) -> None:
    text = _once(SMALL, 'source = "karate"', 'source = "karate"\nalso = { gin = 3, gcn = 1 }')
    seeds = Counter(cell.model for cell in read_experiment(write(tmp_path, text)).cells if cell.data == "karate")
    assert seeds == {"ra": 2, "gcn": 1, "gin": 3}


def test_a_model_can_have_training_of_its_own_which_that_of_a_graph_replaces(tmp_path) -> None:
    text = _once(SMALL, 'source = "karate"', 'source = "karate"\ntraining = { patience = 2 }')
    text = _once(text, "orbit_rounds = 2", "orbit_rounds = 2\ntraining_of.ra.patience = 7")
    text += "[training_of]\ngcn = { epochs = 5, patience = 3 }\n"
    cells = read_experiment(write(tmp_path, text)).cells
    assert {(cell.data, cell.model): cell.training for cell in cells} == {
        ("karate", "ra"): {"epochs": 2, "metric": "auc", "patience": 2},
        ("karate", "gcn"): {"epochs": 5, "metric": "auc", "patience": 2},
        ("two karates", "ra"): {"epochs": 2, "metric": "auc", "patience": 7},
        ("two karates", "gcn"): {"epochs": 5, "metric": "auc", "patience": 3},
    }


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("[training_of]\norbit-boost = { epochs = 5 }\n", "line 27, training_of.orbit-boost.epochs"),
        ("[variants.x]\nmodel = 'orbit-boost'\ntraining = { epochs = 5 }\n", "line 28, variants.x.training.epochs"),
    ],
)
def test_training_of_one_model_names_settings_that_its_training_has(tmp_path, said: str, key: str) -> None:
    pytest.importorskip("torch_geometric")
    with pytest.raises(InvalidParameterError, match=f"{key}: .* its settings are: metric, select_on, orbit_rounds"):
        read_experiment(write(tmp_path, SMALL + said), thorough=True)


def test_a_model_can_have_settings_on_one_graph_and_be_left_out_with_some_features(tmp_path) -> None:
    from edgeorbit.experiments.tuning.task import read_tasks

    text = _once(SMALL, "orbit_rounds = 2", 'features_of.ra = ["identity"]\nsettings.gcn.dropout = 0.25')
    path = write(
        tmp_path, _once(text, "seeds = 2", 'seeds = 2\nfeatures_of = { gcn = ["identity"], ra = ["constant"] }')
    )
    expected = {
        ("karate", "constant", "ra"): {},
        ("two karates", "identity", "ra"): {},
        ("two karates", "identity", "gcn"): {"hidden_channels": 8, "dropout": 0.25},
    }
    for planned in (read_experiment(path, thorough=True).cells, read_tasks(path)):
        assert {(one.data, one.features, one.model): one.settings for one in planned} == expected


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("rounds = 1", "gcn has no setting 'rounds'"),
        ("dropout = 2", "below 1"),
        ("hidden_channels = '8'", "give a whole number, not '8'"),
    ],
)
def test_settings_on_one_graph_are_checked_with_their_line(tmp_path, setting, said) -> None:
    pytest.importorskip("torch_geometric")
    path = write(tmp_path, _once(SMALL, "seeds = 1", f"settings.gcn.{setting}"))
    with pytest.raises(
        InvalidParameterError, match=rf" line 25, data\[1\].settings.gcn.{setting.split()[0]}: .*{said}"
    ):
        read_experiment(path, thorough=True)


def test_a_whole_number_is_a_number_too(tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    text = _once(_once(SMALL, "seeds = 1", "settings.gcn.dropout = 0"), "epochs = 2", "epochs = 2\nlearning_rate = 1")
    cells = read_experiment(write(tmp_path, text), thorough=True).cells
    assert {cell.training["learning_rate"] for cell in cells} == {1}


def test_further_models_are_searched_too_with_the_training_of_theirs(tmp_path) -> None:
    from edgeorbit.experiments.tuning.task import read_tasks

    text = _once(SMALL, 'source = "karate"', 'source = "karate"\nalso = { gin = 3 }')
    tasks = read_tasks(write(tmp_path, text + "[training_of]\ngin = { patience = 3, epochs = 5 }\n"))
    found = {task.model: (task.training, task.epochs) for task in tasks if task.data == "karate"}
    assert found == {"ra": ({}, 2), "gcn": ({}, 2), "gin": ({"patience": 3}, 5)}


VARIANTS = """
[variants."gcn, wide"]
model = "gcn"
settings = { hidden_channels = 512 }
training = { perturbation = "dropedge", epochs = 7 }
"""


def test_variants_have_settings_and_training_of_their_own(tmp_path) -> None:
    text = SMALL.replace('["ra", "gcn"]', '["gcn", "gcn, wide"]') + VARIANTS
    experiment = read_experiment(write(tmp_path, text))
    wide = [cell for cell in experiment.cells if cell.label == "gcn, wide"]
    assert len(wide) == len(experiment.cells) / 2 and set(experiment.labels.values()) == {"gcn", "gcn, wide"}
    assert all(cell.model == "gcn" and cell.settings == {"hidden_channels": 512} for cell in wide)
    assert wide[0].training == {"epochs": 7, "metric": "auc", "perturbation": "dropedge"}


def test_the_same_run_under_two_names_is_refused(tmp_path) -> None:
    text = SMALL.replace('["ra", "gcn"]', '["ra", "ra again"]') + '[variants."ra again"]\nmodel = "ra"\n'
    with pytest.raises(InvalidParameterError, match=r"ra on karate.* and ra again on karate.* are the same run"):
        read_experiment(write(tmp_path, text))


def test_settings_for_all_go_to_the_models_that_have_them(tmp_path) -> None:
    pytest.importorskip("torch_geometric")
    text = SMALL.replace("[settings.gcn]\nhidden_channels = 8", "[settings]\nall = { hidden_channels = 8, layers = 1 }")
    text = text.replace('"ra", "gcn"', '"ra", "gcn", "mlp"').replace("layers = 1", "dropout = 0.5")
    text = text.replace("[[data]]", "[settings.mlp]\nhidden_channels = 4\n[[data]]", 1)
    found = {cell.model: cell.settings for cell in read_experiment(write(tmp_path, text)).cells}
    assert found["ra"] == {} and found["gcn"]["hidden_channels"] == 8 and found["mlp"]["hidden_channels"] == 4
    assert found["gcn"]["dropout"] == found["mlp"]["dropout"] == 0.5


TUNED = """
[[tuned]]
data = "Karate"
features = "constant"
model = "gcn"
settings = { hidden_channels = 32, num_layers = 3 }
training = { learning_rate = 0.02, epochs = 99 }
trials = 20
value = 0.9
metric = "auc"
seed = 0
"""


def test_tuned_settings_are_taken_where_the_file_says_nothing(tmp_path) -> None:
    write(tmp_path, TUNED, "found.toml")
    experiment = read_experiment(write(tmp_path, 'tuned = "found.toml"\n' + SMALL))
    assert experiment.tuned is not None and len(experiment.tuned) == 2
    for cell in experiment.cells:
        if cell.key in experiment.tuned:
            assert (cell.model, cell.data) == ("gcn", "karate")
            assert cell.settings == {"hidden_channels": 8, "num_layers": 3}
            assert cell.training == {"epochs": 2, "metric": "auc", "learning_rate": 0.02}
        else:
            assert "learning_rate" not in cell.training and "num_layers" not in cell.settings


def test_what_a_file_lets_be_searched_is_searched_and_then_counts_before_its_own_values(tmp_path) -> None:
    from edgeorbit.experiments.tuning.space import Range
    from edgeorbit.experiments.tuning.task import read_tasks

    write(tmp_path, TUNED, "found.toml")
    text = _once(SMALL, "seeds = 2", 'seeds = 2\ntuned = "found.toml"\nsearch.learning_rate = "0.001..0.02"')
    text = _once(text, "epochs = 2", "epochs = 2\nlearning_rate = 0.01")
    text = _once(text, 'source = "karate"', 'source = "karate"\nsearch.hidden_channels = [32, 8]')
    text += '[variants.slow]\nmodel = "gcn"\ntraining = { learning_rate = 0.001 }\n'
    path = write(tmp_path, _once(text, '["ra", "gcn"]', '["ra", "gcn", "slow"]'))
    tasks = {(task.data, task.model): task for task in read_tasks(path)}
    rate = {"learning_rate": Range(0.001, 0.02)}
    assert tasks["karate", "gcn"].space == rate | {"hidden_channels": [8, 32]}
    assert tasks["karate", "gcn"].training["learning_rate"] == 0.01  # of the first trial
    assert tasks["two karates", "gcn"].space == rate
    assert tasks["karate", "ra"].space == {}  # it has no such settings
    given = {task.model: task.space for task in read_tasks(path, space={"learning_rate": [0.1]})}
    assert given["gcn"]["learning_rate"] == [0.1]
    cells = {(cell.data, cell.label): cell for cell in read_experiment(path, thorough=True).cells}
    assert cells["karate", "gcn"].settings == {"hidden_channels": 32, "num_layers": 3}
    assert cells["karate", "gcn"].training == {"epochs": 2, "metric": "auc", "learning_rate": 0.02}
    assert cells["karate", "slow"].training["learning_rate"] == 0.001
    assert cells["two karates", "gcn"].training["learning_rate"] == 0.01  # nothing was found there


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ("learning_rate = 3", "give a list of values, or a range"),
        ('learning_rate = "a..b"', "the ends of a range are numbers"),
        ("learning_rate = []", "give a list of values, or a range"),
        ('learning_rate = "2..1"', "a range goes from a number to a larger one"),
        ("width = [3]", "none of the models has such a setting"),
        ("dropout = [0.5, 2]", "below 1"),
        ("learning_rate = [0.1, -1]", "must be above 0"),
    ],
)
def test_ranges_that_cannot_be_searched_are_told_with_their_line(tmp_path, search, said) -> None:
    pytest.importorskip("torch_geometric")
    path = write(tmp_path, _once(SMALL, "seeds = 1", f"search.{search}"))
    with pytest.raises(InvalidParameterError, match=rf" line 25, data\[1\].search.{search.split()[0]}: .*{said}"):
        read_experiment(path, thorough=True)
    path = write(tmp_path, SMALL + f"[search]\n{search}\n")
    with pytest.raises(InvalidParameterError, match=rf" line 27, search.{search.split()[0]}: .*{said}"):
        read_experiment(path, thorough=True)


def test_a_graph_takes_the_tuned_settings_of_another_and_is_not_searched_itself(tmp_path) -> None:
    from edgeorbit.experiments.tuning.task import read_tasks

    write(tmp_path, TUNED, "found.toml")
    text = """
tuned = "found.toml"
models = ["gcn"]
[[data]]
source = "karate"
features = ["constant"]
[[data]]
source = "prism"
features = ["constant"]
tuned_as = "karate"
"""
    path = write(tmp_path, text)
    experiment = read_experiment(path)
    assert {cell.settings["num_layers"] for cell in experiment.cells} == {3}
    assert experiment.tuned is not None and experiment.tuned.keys() == {cell.key for cell in experiment.cells}
    assert [task.data for task in read_tasks(path)] == ["karate"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"gcn"', '"gcm"', r"found.toml line 5, tuned\[0\].model: 'gcm' is unknown"),
        ("epochs", "epoch", r"found.toml line 7, tuned\[0\].training.epoch: training has no"),
        ('model = "gcn"', "", r"found.toml line 2, tuned\[0\].model: is missing"),
        ("[[tuned]]", "[tuned]", r"found.toml line 2, tuned: give a list"),
    ],
)
def test_a_broken_file_of_tuned_settings_is_told_by_its_own_line(tmp_path, old, new, said) -> None:
    write(tmp_path, _once(TUNED, old, new), "found.toml")
    with pytest.raises(InvalidParameterError, match=said):
        read_experiment(write(tmp_path, 'tuned = "found.toml"\n' + SMALL))


def test_a_file_of_tuned_settings_that_is_missing_or_says_things_twice_is_told(tmp_path) -> None:
    path = write(tmp_path, 'tuned = "found.toml"\n' + SMALL)
    with pytest.raises(InvalidParameterError, match=r"small\.toml line 1, tuned: found\.toml: No such file; name one"):
        read_experiment(path)
    write(tmp_path, TUNED + TUNED.replace("Karate", "KARATE"), "found.toml")
    with pytest.raises(InvalidParameterError, match=r"line 13, tuned\[1\]: gcn on KARATE is there twice"):
        read_experiment(path)


def test_keys_of_cells_stay_what_they_were() -> None:
    """Results are found by these keys: a change here makes days of runs be made again."""
    source = {"generator": "syn-cora", "options": {"ear": 0.7, "rounds": 2}}
    cells = [
        Cell("Cora", {"source": "cora"}, "original", "gcn", 3, ("random", "heart"), 2, {}, {"metric": "auc"}),
        Cell("syn", source, "constant", "eo-gnn", 0, ("orbit",), None, {"without": "d1"}, {}, "without d1"),
        Cell("syn", source, "constant", "eo-gnn", 0, ("orbit",), None, {"without": "d1"}, {}, "another name"),
    ]
    assert [cell.key for cell in cells] == ["1cebe8078833e05c", "2a09747995f35756", "2a09747995f35756"]
