"""A model of another package, found by name: `pip install ./orbit_package` and it is in `edgeorbit models`."""

import edgeorbit as eo
from edgeorbit.models import installed_models

print("installed:", ", ".join(installed_models()) or "none; run pip install ./orbit_package first")

predictor = eo.LinkPredictor("preferential-attachment", seed=0).fit("karate", output="run")
print(predictor.evaluate("random"))

# A run of an installed model is loaded by its name alone, as one of edgeorbit's own models.
loaded = eo.LinkPredictor.load("run")
for (source, target), score in zip(loaded.predict(top=3).pairs, loaded.predict(top=3).scores, strict=True):
    print(f"{source} - {target}: {score:.0f}")
