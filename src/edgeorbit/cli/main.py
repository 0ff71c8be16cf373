"""The border of the command line, where errors become one sentence and exit code 2, and Control-C exit code 130.

It loads quickly, so that an interruption while the rest is loaded ends as any other does.
"""

import _thread
import errno
import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

from edgeorbit._text import LONGEST_WORD, shown
from edgeorbit.errors import EdgeorbitError, naming_extras

NO_MEMORY = "the machine's memory is not enough for this graph; use a larger machine"
EXIT_CODE = 128 + signal.SIGINT
AGAIN_SECONDS = 0.01


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


class Interruption:
    """A block that an interruption ends with exit code 130.

    A `KeyboardInterrupt` alone would not do: while modules are loaded, C code turns it into errors of other kinds, and
    what is raised while an object is deleted is printed and forgotten.
    """

    def __init__(self) -> None:
        self._came = False

    def __enter__(self) -> Self:
        """Listen for interruptions."""
        with suppress(ValueError):  # in another thread than the main one, where no signals arrive
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # who is in the background ignores it
                signal.signal(signal.SIGINT, self._interrupt)
                sys.unraisablehook = self._raise_again
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the process if one came and the block was not completed."""
        if signal.getsignal(signal.SIGINT) == self._interrupt:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # all is done, and nothing is left to tidy up
            sys.unraisablehook = sys.__unraisablehook__
        completed = kind is None or (isinstance(error, SystemExit) and not error.code)
        if self._came and not completed:
            sys.exit(EXIT_CODE)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        self._came = True
        raise KeyboardInterrupt

    def _raise_again(self, unraisable: Any) -> None:
        """Interrupt once more if it was lost, and show any other error as Python does."""
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            threading.Timer(AGAIN_SECONDS, _thread.interrupt_main).start()
        elif not self._came:
            sys.__unraisablehook__(unraisable)
