"""What may be asked of a generator, checked before anything is made."""

import difflib
from collections.abc import Mapping
from typing import Any, get_args

from edgeorbit._randomness import check_seed
from edgeorbit._text import KIND_WORDS, is_kind
from edgeorbit.data.features import FeatureMode
from edgeorbit.errors import InvalidParameterError
from edgeorbit.orbits.refine import check_rounds
from edgeorbit.synthetic.construction import Amounts
from edgeorbit.synthetic.dial import check_target
from edgeorbit.synthetic.generators import resolve_generator
from edgeorbit.synthetic.make import DialName
from edgeorbit.synthetic.moves import check_inter, check_part

# Those of `make` that decide what is made, whatever the generator.
KINDS: dict[str, type] = {
    **dict.fromkeys(("ear", "inter"), float),
    **dict.fromkeys(("rounds", "seed", "swaps", "edges", "twins"), int),
    **dict.fromkeys(("of", "dial", "part", "features"), str),
}
COPIES = 2  # how many a generator makes is not known before, so nothing is said of one copy here


class OptionError(InvalidParameterError):
    """An option that makes no sense; `option` is its name, or None if one is missing."""

    def __init__(self, option: str | None, message: str) -> None:
        super().__init__(message)
        self.option = option


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Validate options of `make`, as far as that is possible without making a graph.

    Parameters
    ----------
    name
        What is to be made.
    options
        By name, what is asked of it.

    Raises
    ------
    OptionError
        If there is no such option, or its value is of another kind or too far out, or it contradicts another.
    InvalidParameterError
        If there is no such generator.

    Examples
    --------
    >>> check_options("syn-karate", {"eer": 0.5})
    Traceback (most recent call last):
    edgeorbit.synthetic.options.OptionError: syn-karate has no option 'eer'; did you mean ear?
    """
    generator, source = resolve_generator(name)
    kinds = KINDS | {key: type(parameter.default) for key, parameter in generator.parameters.items()}
    for option, value in options.items():
        if option not in kinds:
            near = difflib.get_close_matches(option, kinds, n=1)
            hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(kinds)}"
            raise OptionError(option, f"{name} has no option {option!r}; {hint}")
        if not is_kind(value, kinds[option]):
            raise OptionError(option, f"give {KIND_WORDS[kinds[option]]}, not {value!r}")
        try:
            _check_value(option, value)
        except InvalidParameterError as error:
            raise OptionError(option, str(error)) from None
    if options.get("dial") in options:
        raise OptionError("dial", f"{options['dial']} cannot be given and dialled at once; leave one of them out")
    if "of" in options and (source is not None or not generator.takes_source):
        why = "names its source already" if source is not None else "is not made from another graph"
        raise OptionError("of", f"{name} {why}; leave it out")
    if generator.takes_source and source is None and "of" not in options:
        raise OptionError(None, f'{name} is made from another graph; say which, for instance {{ of = "cora" }}')


def _check_value(option: str, value: Any) -> None:
    match option:
        case "ear":
            check_target(value)
        case "rounds":
            check_rounds(value)
        case "seed":
            check_seed(value)
        case "inter":
            check_inter(value, COPIES, "")
        case "part":
            check_part(value)
        case "swaps" | "edges" | "twins":
            Amounts(**{option: value})
        case "dial" | "features":
            known = get_args(DialName if option == "dial" else FeatureMode)
            if value not in known:
                raise InvalidParameterError(f"{value!r} is unknown; choose from {', '.join(known)}")
