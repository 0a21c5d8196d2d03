"""Reports: figures by name, with a text and a table."""

from __future__ import annotations

import html
import json
from typing import Any, Iterator, List, Mapping, Optional, Tuple

__all__ = ["Report"]


class Report(Mapping[str, Any]):
    """Figures by name, as the rows of ``mocap --json`` have them.

    ``report["feet"]`` and ``report.feet`` are the same; ``print(report)`` shows the text of the
    command line; a notebook shows a table. A figure that was not measured is ``None``.
    """

    def __init__(self, figures: Mapping[str, Any], text: Optional[str] = None) -> None:
        self._figures = dict(figures)
        self._text = "\n".join(_lines(self._figures)) if text is None else text

    @classmethod
    def _of(cls, report: Tuple[str, str]) -> "Report":
        return cls(json.loads(report[0]), report[1])

    def __getitem__(self, name: str) -> Any:
        return self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_figures"][name]
        except KeyError:
            raise AttributeError(f"the report has no figure '{name}'") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._figures]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Report({', '.join(self._figures)})"

    def to_dict(self) -> "dict[str, Any]":
        """The figures as plain dictionaries and lists."""
        figures: "dict[str, Any]" = json.loads(json.dumps(self._figures))
        return figures

    def _repr_html_(self) -> str:
        return f"<table>{''.join(_rows(self._figures))}</table>"


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    for name, value in figures.items():
        if value not in (None, [], {}):
            yield f"{name:<16} {value}"


def _rows(figures: Mapping[str, Any]) -> Iterator[str]:
    for name, value in figures.items():
        yield f"<tr><th style='text-align:left;vertical-align:top'>{html.escape(name)}</th>"
        yield f"<td style='text-align:left'>{_cell(value)}</td></tr>"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return f"<table>{''.join(_rows(value))}</table>"
    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        names = list(dict.fromkeys(name for row in value for name in row))
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>" for row in value)
        return f"<table><tr>{head}</tr>{body}</table>"
    if isinstance(value, list):
        return ", ".join(_cell(part) for part in value)
    return html.escape(str(value))
