"""Your own PyG Data, divided by RandomLinkSplit: the split is checked for leaks and never divided again."""

import argparse

from torch_geometric.nn import GraphSAGE
from torch_geometric.transforms import RandomLinkSplit
from torch_geometric.utils import degree

import edgeorbit as eo

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=50)
epochs = parser.parse_args().epochs

data = eo.to_pyg(eo.load("karate"))  # or your own Data with x and edge_index
data.x = degree(data.edge_index[0], data.num_nodes).unsqueeze(1)

# is_undirected=True matters: without it a test link can be seen as a message in the other direction.
train_data, val_data, test_data = RandomLinkSplit(num_val=0.1, num_test=0.2, is_undirected=True)(data)
split = eo.LinkSplit.from_pyg(train_data, val_data, test_data, name="karate")

for model in ("ra", "gcn", GraphSAGE):  # a heuristic, a model of edgeorbit, a class of PyG
    training = None if model == "ra" else {"epochs": epochs}
    predictor = eo.LinkPredictor(model, training=training, seed=0).fit(split)
    result = predictor.evaluate()  # against the negatives that RandomLinkSplit drew
    print(f"{result.model}: test AUC {result.test['auc']:.3f}, MRR {result.test['mrr']:.3f}")
