# SPDX-License-Identifier: Apache-2.0
"""Accumulation rules as data: how a chip multiplies, adds, and reads its sum."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from bitfold import _native

PRODUCTS = ("toward-zero", "floor", "exact", "float32")
OVERFLOWS = ("clamp", "wrap")
READOUTS = ("floor", "half-up", "nearest")
_DATA, _PRODUCT = -1, -2


def _word(words: tuple[str, ...], value: str, field: str) -> int:
    if value in words:
        return words.index(value)
    raise ValueError(f"{field}={value!r}; it is one of {', '.join(words)}")


def _width(value: int | str, field: str, words: dict[str, int], least: int, most: int) -> int:
    if isinstance(value, str):
        if value not in words:
            raise ValueError(f"{field}={value!r}; it is a number or {' or '.join(map(repr, words))}")
        return words[value]
    if not least <= operator.index(value) <= most:
        raise ValueError(f"{field}={value}; it is {least} to {most} or {' or '.join(map(repr, words))}")
    return int(value)


class Rule(_native.Rule):
    """How a chip adds SuperFloat codes of N bits; a value, executed by the C library's one function for it.

    Parameters
    ----------
    name : str
        What messages and `explain` call it.
    product : "toward-zero", "floor", "exact" or "float32"
        A product of two codes, narrowed to N-1 fraction bits toward zero or down, or kept with all 2(N-1); or rounded to float32, in which
        the sum is then sequential too.
    minus_one_is_zero : bool
        An operand of -1.0 makes the product 0.
    accumulator_bits : int, "data" or "product"
        2 to 48; N ("data"), or 2N-1 ("product").
    overflow : "clamp" or "wrap"
        At every step. A clamp that changes the value is an event, a wrap is none.
    full_range : bool
        A clamping accumulator reaches -2^(bits-1); otherwise its edges are symmetric.
    sum_extra, product_extra : int or "data"
        Fraction bits of the accumulator beyond the data's, in a sum and in a dot: 0 to 32, or N-1 ("data"). An exact product has at least N-1.
    readout : "floor", "half-up" or "nearest"
        How those bits are rounded away at the end ("nearest": ties to even); then the code is clamped to N bits.
    readout_full_range : bool
        The read-out reaches -1.0.

    >>> import sf
    >>> chip = sf.Rule("chip", product="floor", accumulator_bits=20, product_extra=2)
    >>> with sf.use_rule(chip):
    ...     sf.dot(sf.array([0.5, 0.25]), sf.array([0.5, -0.5]))
    sf16(0.125)
    """

    __slots__ = ()

    def __new__(cls, name: str, *, product: str = "toward-zero", minus_one_is_zero: bool = False, accumulator_bits: int | str = "data",
                overflow: str = "clamp", full_range: bool = False, sum_extra: int | str = 0, product_extra: int | str | None = None,
                readout: str = "floor", readout_full_range: bool = False) -> Rule:
        if not isinstance(name, str) or not name or "\0" in name:
            raise ValueError(f"name={name!r}; a rule's name is a str that is not empty")
        if product_extra is None:
            product_extra = "data" if product == "exact" else 0
        data = {"data": _DATA}
        made: Rule = super().__new__(
            cls, name, product=_word(PRODUCTS, product, "product"), minus_one_is_zero=minus_one_is_zero,
            accumulator_bits=_width(accumulator_bits, "accumulator_bits", {"data": _DATA, "product": _PRODUCT}, 2, 48),
            overflow=_word(OVERFLOWS, overflow, "overflow"), full_range=full_range,
            sum_extra=_width(sum_extra, "sum_extra", data, 0, 32), product_extra=_width(product_extra, "product_extra", data, 0, 32),
            readout=_word(READOUTS, readout, "readout"), readout_full_range=readout_full_range)
        if not any(made._fits(bits) for bits in range(2, 17)):
            raise ValueError(f"rule {name!r}: an exact product has N-1 more fraction bits than the data; product_extra={product_extra} has fewer")
        return made

    if TYPE_CHECKING:
        product: str
        minus_one_is_zero: bool
        accumulator_bits: int | str
        overflow: str
        full_range: bool
        sum_extra: int | str
        product_extra: int | str
        readout: str
        readout_full_range: bool

    def _asdict(self) -> dict[str, Any]:
        name, product, minus_one, bits, overflow, full, sums, products, readout, readout_full = self._fields()
        words = {_DATA: "data", _PRODUCT: "product"}
        return {"name": name, "product": PRODUCTS[product], "minus_one_is_zero": minus_one,
                "accumulator_bits": words.get(bits, bits), "overflow": OVERFLOWS[overflow], "full_range": full,
                "sum_extra": words.get(sums, sums), "product_extra": words.get(products, products), "readout": READOUTS[readout],
                "readout_full_range": readout_full}

    def replace(self, **changes: Any) -> Rule:
        """The same rule with other fields, ``name`` among them if it is to be told apart."""
        return Rule(**{**self._asdict(), **changes})

    def __repr__(self) -> str:
        if BY_NAME.get(self.name) == self:
            return f"sf.rule({self.name!r})"
        fields = ", ".join(f"{key}={value!r}" for key, value in self._asdict().items() if key != "name")
        return f"sf.Rule({self.name!r}, {fields})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._asdict(),)

    def __dir__(self) -> list[str]:
        return sorted([*_FIELDS, "replace"])

    @property
    def name(self) -> str:
        """What messages and `explain` call it."""
        return str(self._fields()[0])


def _field(key: str) -> property:
    return property(lambda self: self._asdict()[key], doc=f"The argument `{key}`.")


_FIELDS = ("name", "product", "minus_one_is_zero", "accumulator_bits", "overflow", "full_range", "sum_extra", "product_extra", "readout",
           "readout_full_range")
for _key in _FIELDS[1:]:
    setattr(Rule, _key, _field(_key))


def _rebuild(fields: dict[str, Any]) -> Rule:
    return Rule(**fields)


def _listed() -> list[Rule]:
    found: list[Rule] = []
    while (fields := _native.rule_fields(len(found))) is not None:
        found.append(_native.Rule.__new__(Rule, *fields))
    return found


BY_NAME: dict[str, Rule] = {}
BY_NAME.update((made.name, made) for made in _listed())


def rule(name: str | Rule) -> Rule:
    """The rule of that name: one of `rules`; a `Rule` is returned as it is."""
    if isinstance(name, Rule):
        return name
    if name in BY_NAME:
        return BY_NAME[name]
    raise ValueError(f"there is no rule {name!r}; the rules are {', '.join(BY_NAME)}")


def rules() -> tuple[Rule, ...]:
    """The eight rules of SuperFloat chips so far, the default `sf` first."""
    return tuple(BY_NAME.values())
