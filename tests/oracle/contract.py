# SPDX-License-Identifier: Apache-2.0
"""A parser of contract text of the oracle's own, and the defaults that orders.md gives to what is left out."""

from dataclasses import dataclass

from .formats import FLOATS, FORMATS
from .superfloat import RULES

NUMPY = ("numpy", "numpy-1")
OPERATIONS = ("sum", "mean", "dot", "sumsq", "sumabs", "max", "min", "argmax", "argmin")


@dataclass
class Contract:
    operation: str = None
    element: str = None
    order: tuple = None
    rule: str = None
    accumulator: str = None
    output: str = None
    nan: str = None
    fma: bool = False
    ftz: bool = False


def _split(text, mark):
    """Splits at a mark outside brackets and quotes."""
    parts, depth, quoted = [""], 0, False
    for c in text:
        quoted ^= c == '"'
        depth += not quoted and (c == "(") - (c == ")")
        if c == mark and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def parse_order(text):
    """An order's tuple: ("pairwise", 128, ("lanes", 8, "pairs", "after"))."""
    word, _, inside = text.partition("(")
    if not inside:
        return (word,)
    arguments = _split(inside[: inside.rindex(")")], ",")
    if word == "tree":
        return word, arguments[0].strip('"')
    size = int(arguments[0])
    if word == "torch":
        return (word, size) if size > 1 else (word,)
    if word == "lanes":
        named = dict(a.split("=") for a in arguments[1:])
        return word, size, named.get("fold", "left"), named.get("tail", "lanes")
    if word == "canonical":
        return word, size
    return word, size, parse_order(arguments[1])


def order_text(order):
    """The order as the library prints it."""
    word, *rest = order
    if word == "tree":
        return f'tree("{rest[0]}")'
    if word == "lanes":
        return f"lanes({rest[0]},fold={rest[1]}" + (",tail=after)" if rest[2] == "after" else ")")
    if word == "canonical" or (word == "torch" and rest):
        return f"{word}({rest[0]})"
    return f"{word}({rest[0]},{order_text(rest[1])})" if rest else word


def _default_output(c):
    if c.operation.startswith("arg"):
        return "i64"
    if FORMATS[c.element].kind == "integer" and c.operation not in ("max", "min"):
        return "f64" if c.operation == "mean" else "i64"
    return c.element


def parse(text):
    c = Contract()
    for part in _split(text, ":"):
        key, _, value = part.partition("=")
        if part in OPERATIONS:
            c.operation = part
        elif part in FORMATS:
            c.element = part
        elif part in RULES:
            c.rule = part
        elif part in ("fma", "ftz"):
            setattr(c, part, True)
        elif key in ("acc", "out", "nan"):
            setattr(c, {"acc": "accumulator", "out": "output", "nan": "nan"}[key], value)
        else:
            c.order = parse_order(part)
    select = c.operation in OPERATIONS[5:]
    if not select and not c.order and not c.rule:
        c.order, c.rule = (None, "sf") if FORMATS[c.element].kind == "superfloat" else (("exact",), None)
    if not select and c.order and c.order[0] != "exact":
        own = c.element == "f64" or (c.element == "f16" and c.operation == "sum" and c.order[0] in NUMPY)
        c.accumulator = c.accumulator or (c.element if own else "f32")
    if select and c.element in FLOATS:
        c.nan = c.nan or ("ignore" if c.operation.startswith("arg") else "propagate")
    c.output = c.output or _default_output(c)
    return c
