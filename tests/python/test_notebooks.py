"""Notebooks run, cell by cell, and show what they show."""

import ast
import importlib.util
import json

import pytest

from conftest import HOME

pytestmark = pytest.mark.filterwarnings("ignore::mocap.MocapWarning")


@pytest.mark.parametrize("path", sorted((HOME / "docs/notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_notebook(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").symlink_to(HOME / "fixtures")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names = {"__name__": "__main__"}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{path.name}[{number}]", "exec"), names)
        if last is not None:
            shown = eval(compile(ast.Expression(last.value), f"{path.name}[{number}]", "eval"), names)
            if hasattr(shown, "_repr_html_"):
                assert shown._repr_html_()


@pytest.mark.parametrize("path", sorted((HOME / "examples/python").glob("*.py")), ids=lambda path: path.name)
def test_example(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").symlink_to(HOME / "fixtures")
    source = path.read_text(encoding="utf-8")
    if "import torch" in source:
        pytest.importorskip("torch")
    exec(compile(source, path.name, "exec"), {"__name__": "__main__"})


def test_the_page_about_python_runs(monkeypatch, tmp_path):
    page = (HOME / "docs/python.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in page.split("```python\n")[1:]]
    assert len(blocks) > 5
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").symlink_to(HOME / "fixtures")
    names = {"__name__": "__main__"}
    for number, block in enumerate(blocks):
        if "torch" in block and importlib.util.find_spec("torch") is None:
            continue
        exec(compile(block, f"python.md[{number}]", "exec"), names)


def test_docstrings_run(monkeypatch, tmp_path):
    import doctest

    import mocap
    import mocap._clip
    import mocap._dataset
    import mocap._skeleton

    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").symlink_to(HOME / "fixtures")
    for module in (mocap, mocap._clip, mocap._skeleton, mocap._dataset):
        failed, tried = doctest.testmod(module)
        assert failed == 0
