# SPDX-License-Identifier: Apache-2.0
"""Every accumulation order, written from its definition over any arithmetic that has plus and zero."""

from . import numpy_order

def adjacent(plus, items):
    """Adjacent pairs, repeatedly, an odd one carried."""
    while len(items) > 1:
        pairs = [plus(items[i], items[i + 1]) for i in range(0, len(items) - 1, 2)]
        items = pairs + ([items[-1]] if len(items) % 2 else [])
    return items[0]


def sequential(plus, start, terms):
    for term in terms:
        start = plus(start, term)
    return start


def fold_lanes(plus, fold, lanes):
    if fold == "pairs":
        return adjacent(plus, lanes)
    if fold == "halves":
        while len(lanes) > 1:
            half = len(lanes) // 2
            lanes = [plus(lanes[i], lanes[i + half]) for i in range(half)]
        return lanes[0]
    return sequential(plus, lanes[0], lanes[1:])


def lanes(arithmetic, terms, count, fold, tail):
    plus, zero = arithmetic.plus, arithmetic.zero
    whole = len(terms) if tail == "lanes" else len(terms) - len(terms) % count
    sums = [sequential(plus, zero, terms[lane:whole:count]) for lane in range(count)]
    return sequential(plus, fold_lanes(plus, fold, sums), terms[whole:])


def canonical(arithmetic, terms, count):
    if not terms:
        return arithmetic.zero
    present = [adjacent(arithmetic.plus, terms[lane::count]) for lane in range(min(count, len(terms)))]
    return arithmetic.plus(arithmetic.zero, adjacent(arithmetic.plus, present))


def pairwise(arithmetic, terms, size, leaf):
    left = len(terms) // 2 // 8 * 8
    if len(terms) <= size or left == 0:
        return total(arithmetic, leaf, terms)
    return arithmetic.plus(pairwise(arithmetic, terms[:left], size, leaf), pairwise(arithmetic, terms[left:], size, leaf))


def tree_nodes(text):
    """The nested lists of a tree's text: "((0+1)+2)" is [[0, 1], 2]."""
    stack, word = [[]], ""
    for mark in text + " ":
        if mark.isdigit():
            word += mark
            continue
        if word:
            stack[-1].append(int(word))
            word = ""
        if mark == "(":
            stack.append([])
        elif mark == ")":
            node = stack.pop()
            stack[-1].append(node)
    return stack[0][0]


def tree(arithmetic, terms, node):
    if isinstance(node, int):
        return terms[node]
    return arithmetic.plus(*(tree(arithmetic, terms, child) for child in node))


def tree_size(node):
    return 1 if isinstance(node, int) else sum(tree_size(child) for child in node)


def total(arithmetic, order, terms):
    """The sum of the terms in an order, a tuple of its word and parameters."""
    word, *rest = order
    plus, zero = arithmetic.plus, arithmetic.zero
    if word == "exact":  # inside another order: the exact sum of a block, rounded once to the accumulator
        return plus(zero, *terms)
    if word == "sequential":
        return sequential(plus, zero, terms)
    if word == "reverse":
        return sequential(plus, zero, terms[::-1])
    if word == "lanes":
        return lanes(arithmetic, terms, *rest)
    if word == "helia":
        return lanes(arithmetic, terms, 4, "left", "lanes")
    if word in ("numpy", "numpy-1"):
        _, lengths = rest[0] if rest else numpy_order.runs((len(terms),), (1,), (0,), False, word == "numpy-1")
        return numpy_order.total(arithmetic, terms, lengths)
    if word == "canonical":
        return canonical(arithmetic, terms, *rest)
    if word == "pairwise":
        return pairwise(arithmetic, terms, *rest)  # leaves start at zero
    if word == "blocks":
        size, inner = rest
        blocks = [total(arithmetic, inner, terms[i : i + size]) for i in range(0, len(terms), size)]
        return sequential(plus, zero, blocks)
    if word == "tree":
        node = tree_nodes(rest[0])
        if tree_size(node) != len(terms):
            raise ValueError("the tree is of another length")
        return plus(zero, tree(arithmetic, terms, node))
    raise ValueError(f"no order {word}")
