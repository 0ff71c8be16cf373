"""A run on a cluster whose executor dies in the middle of a round: `python losing_an_executor.py EDGES PLACE`.

It is a process of its own, because a process can have one Spark application only.
"""

import json
import sys
import threading
from pathlib import Path

from edgeorbit.engines import _spark_session as spark_session
from edgeorbit.engines import measure
from edgeorbit.engines._spark import Spark
from engines.cluster import QUICK, executors, running_cluster

SETTINGS = {
    "spark.executor.cores": "1",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
}


def main(source: Path, place: Path) -> None:
    """Measure, and let one of the executors die while the first round is written."""
    spark_session.SETTINGS |= SETTINGS
    with running_cluster(place) as address:
        session = spark_session.start_session(address, place / "log", seconds=120)
        application = session.sparkContext.applicationId
        killed = []
        write = Spark.write

        def write_while_one_dies(self, table, query):
            if table.name.startswith("affected") and not killed:
                killed.extend(executors(application)[:1])
                killed[0].suspend()  # it holds its tasks from now on, and takes them with it
                threading.Timer(1.0, killed[0].kill).start()
            write(self, table, query)

        Spark.write = write_while_one_dies
        try:
            found = measure(
                source, "spark", session=session, work=place / "work", tail_memory=0, colours=place / "colours"
            )
        finally:
            session.stop()
    print(json.dumps({"died": not killed[0].is_running(), **found.as_dict()}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
