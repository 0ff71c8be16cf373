"""Link predictors without weights, each a formula of the graph.

| file | name | score |
| --- | --- | --- |
| `common_neighbours` | `cn` | the number of common neighbours |
| `adamic_adar` | `aa` | common neighbours, each worth 1 / log(degree) |
| `resource_allocation` | `ra` | common neighbours, each worth 1 / degree |
| `jaccard` | `jaccard` | common neighbours, as a share of the neighbours of either |
| `katz` | `katz` | walks, each worth beta^length |
| `pagerank` | `ppr` | where a walk that may end at every step ends, from either node |

`edgeorbit.models.MODELS` finds them by name.
"""
