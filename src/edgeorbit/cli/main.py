"""The border of the command line, where errors become one sentence and exit code 2, and Control-C exit code 130.

It loads quickly, so that an interruption while the rest is loaded ends as any other does.
"""

import errno
import os
import sys

from edgeorbit._text import LONGEST_WORD, shown
from edgeorbit.cli.interruption import Interruption
from edgeorbit.errors import EdgeorbitError, naming_extras

NO_MEMORY = "the machine's memory is not enough for this graph; use a larger machine"


def main() -> None:
    """Run the command line."""
    try:
        with Interruption(), naming_extras("this command"):
            from edgeorbit.cli.commands import app

            app()
    except EdgeorbitError as error:
        sys.exit(_refusal(str(error)))
    except MemoryError:
        sys.exit(_refusal(NO_MEMORY))
    except RuntimeError as error:
        if "can't allocate memory" not in str(error):  # which is how PyTorch says it
            raise
        sys.exit(_refusal(NO_MEMORY))
    except BrokenPipeError:  # the reader of our output, such as `head`, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        sys.exit(_refusal(f"{shown(error.filename, LONGEST_WORD)}: the name is too long; give a shorter one"))


def _refusal(sentence: str) -> int:
    sys.stderr.write(f"edgeorbit: {sentence}\n")
    return 2
