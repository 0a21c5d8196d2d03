"""Types of the keywords of :mod:`mocap.batch`, for editors and type checkers."""

from __future__ import annotations

import os
from typing import Literal, Mapping, Sequence, TypedDict, Union

#: A text, a number or a path: what people write behind a flag.
Value = Union[str, float, "os.PathLike[str]"]

# Options: written from the declarations of the commands.

# End of options.
