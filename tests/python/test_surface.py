# SPDX-License-Identifier: Apache-2.0
"""What a user meets in the interpreter: dir(), tab completion, help(), docstrings whose examples run, names in messages."""

import doctest
import inspect
import pydoc
import rlcompleter

import numpy as np
import pytest

import bitfold
import sf
from plain import NUMPY_2

MODULES = {"sf": sf, "bitfold": bitfold, "sf.sim": sf.sim}
OBJECTS = {"sfarray": sf.array([0.5]), "scalar": sf.sf16(0.5), "format": sf.sf16, "rule": sf.rule("sf"), "status": sf.status,
           "errstate": sf.errstate(over="raise"), "use_rule": sf.use_rule("sf"),
           "simulator": sf.sim.Device(), "device": sf.device(sf.sim.Device()), "explanation": sf.explain(sf.array([0.5]), None, 0),
           "contract": bitfold.contract("sum:f32")}
DUNDERS = {"__doc__", "__version__", "__name__", "__all__", "__path__", "__file__"}


def public(module):
    return {name: getattr(module, name) for name in module.__all__}


@pytest.mark.parametrize("name", ("sf", "bitfold"))
def test_dir_of_a_module_shows_what_is_public(name):
    module = MODULES[name]
    shown = dir(module)
    assert set(module.__all__) <= set(shown) <= {*module.__all__, *DUNDERS, "torch", "sim"}
    for key in set(shown) - {"torch"}:
        assert getattr(module, key) is not None
    assert len(set(module.__all__)) == len(module.__all__) and module.__all__ == sorted(module.__all__,
        key=lambda n: (not n[0].isupper(), n)) or name == "sf"
    namespace = {}
    exec(f"from {name} import *", namespace)
    assert {key for key in namespace if key != "__builtins__"} == set(module.__all__)


@pytest.mark.parametrize("name", OBJECTS)
def test_dir_of_an_object_shows_no_private_names(name):
    shown = dir(OBJECTS[name])
    private = [key for key in shown if key.startswith("_") and not (key.startswith("__") and key.endswith("__"))]
    assert not private, private
    for key in shown:
        try:
            getattr(OBJECTS[name], key)
        except AttributeError as error:
            raise AssertionError(f"{key} is shown, but is not there") from error
        except (ValueError, TypeError):
            pass


@pytest.mark.parametrize("text, namespace", (("sf.", {"sf": sf}), ("x.", {"x": sf.array([0.5])}), ("s.", {"s": sf.sf16(0.5)}),
                                             ("sf.sf16.", {"sf": sf}), ("bitfold.", {"bitfold": bitfold}),
                                             ("r.", {"r": sf.rule("sf")}), ("sf.sim.", {"sf": sf})))
def test_tab_completion_offers_no_private_names(text, namespace):
    completer, offered, state = rlcompleter.Completer(namespace), [], 0
    while (match := completer.complete(text, state)) is not None:
        offered.append(match[len(text):].rstrip("()"))
        state += 1
    assert offered and not [o for o in offered if o.startswith("_") and not o.startswith("__")]
    assert not {"np", "annotations", "Any", "math", "os", "operator", "settle", "made", "current"} & set(offered)


def members(thing):
    """Public methods and properties of a class, by name."""
    return {name: value for name, value in inspect.getmembers(thing) if not name.startswith("_") and name in vars(thing) | {}}


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring(name):
    module, bare = MODULES[name], []
    assert module.__doc__
    for key, value in public(module).items():
        if inspect.ismodule(value) or key == "status" or (isinstance(value, type) and issubclass(value, sf.sfscalar)
                                                          and value is not sf.sfscalar):
            continue
        if not inspect.getdoc(value):
            bare.append(key)
        if inspect.isclass(value) and not issubclass(value, sf.sfscalar):
            bare += [f"{key}.{k}" for k, v in vars(value).items() if not k.startswith("_") and callable(v)
                     and not inspect.getdoc(v)]
    assert not bare, bare


def test_every_parameter_that_is_documented_exists():
    """Names before " : " in the section Parameters are the signature's."""
    for module in MODULES.values():
        for key, value in public(module).items():
            doc = inspect.getdoc(value) or ""
            if not callable(value) or "Parameters\n---" not in doc:
                continue
            section = doc.split("Parameters\n")[1].split("\n", 1)[1]
            section = section.split("\n---")[0]
            named = [n.strip() for line in section.splitlines() if line and not line.startswith(" ")
                     and (" : " in line or line in inspect.signature(value).parameters) for n in line.split(" : ")[0].split(",")]
            assert named and set(named) <= set(inspect.signature(value).parameters), (key, named)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_all_docstrings_run(name):
    if not NUMPY_2:
        pytest.skip("the examples show numbers as NumPy 2 prints them")
    module = MODULES[name]
    finder, runner, report = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False), []
    found = {}
    things = {name: module, **{f"{name}.{key}": value for key, value in public(module).items()}}
    for label, thing in things.items():
        for test in finder.find(thing, label, module=False, globs={}):
            if test.examples:
                found.setdefault(test.docstring, test)
    for test in found.values():
        runner.run(test, out=report.append)
    assert found and not runner.failures, "".join(report)


def test_functions_that_compute_show_an_example():
    with_example = {key for module in MODULES.values() for key, value in public(module).items() if ">>>" in (inspect.getdoc(value)
        or "")}
    assert {"array", "from_codes", "sum", "dot", "trace", "vanished", "explain", "Rule", "contract", "Device"} <= with_example


@pytest.mark.parametrize("thing", (sf, bitfold, sf.sum, sf.sfarray, sf.sf16, sf.Rule, sf.errstate, sf.sim, bitfold.sum,
                                   bitfold.Contract, sf.device, sf.Device))
def test_help_is_readable(thing):
    text = pydoc.plain(pydoc.render_doc(thing))
    names = [line.strip() for line in text.splitlines() if line.strip().startswith("| ") or line.startswith("    ")]
    assert len(text) > 200 and names
    for private in ("_linalg", "_native", "_settings", "_Block"):
        assert f"{private}." not in text.replace("bitfold._native", "bitfold") or thing in (bitfold.Contract,), private


@pytest.mark.parametrize("thing", (sf.sfarray, sf.SFOverflowError, sf.SFWarning, sf.SFReplayError, sf.SFStatusError, sf.Rule,
                                   sf.errstate, sf.use_rule, sf.device, sf.sf16, sf.sfscalar))
def test_public_classes_say_that_they_are_of_sf(thing):
    assert thing.__module__ == "sf" and getattr(sf, thing.__name__) is thing


def test_functions_say_that_they_are_public():
    assert repr(sf.sfarray) == "<class 'sf.sfarray'>" and sf.sum.__name__ == "sum"
    assert str(inspect.signature(sf.sum)).startswith("(x")
    with pytest.raises(TypeError, match="sf.array"):
        sf.sfarray([0.5])
    with pytest.raises(AttributeError, match="module 'sf' has no attribute 'cumsum'"):
        sf.cumsum
    with pytest.raises(AttributeError):
        sf.array([0.5]).colour = "red"
    for name in ("shape", "codes", "ndim", "T"):
        with pytest.raises(AttributeError):
            setattr(sf.array([0.5]), name, 1)
    with pytest.raises(AttributeError):
        sf.sf16(0.5).colour = "red"


def test_formats_say_what_they_are():
    for bits in range(2, 17):
        kind = getattr(sf, f"sf{bits}")
        assert (kind.bits, kind.name, kind.max_code, kind.scale, kind.resolution, kind.itemsize) == (bits, f"sf{bits}",
            2 ** (bits - 1) - 1, 2 ** (bits - 1), 2.0 ** (1 - bits), 1 if bits <= 8 else 2)
        assert kind.storage == np.dtype(np.int8 if bits <= 8 else np.int16) and kind.max.code == kind.max_code == -kind.min.code
        assert kind.from_code(0) == 0
        for wrong in (kind.scale, -kind.scale - 1):
            with pytest.raises(ValueError, match=str(wrong)):
                kind.from_code(wrong)
        for wrong in (0.5, "1", None):
            with pytest.raises(TypeError):
                kind.from_code(wrong)
        assert isinstance(kind(0.25), kind) and issubclass(kind, sf.sfscalar) and kind == kind and kind != sf.sf2 or bits == 2


def test_scalars_are_immutable_numbers():
    x = sf.sf16(0.5)
    with pytest.raises(AttributeError):
        x.code = 7
    assert (x.shape, x.ndim, x.size, x.dtype, float(x), int(x), bool(x), x.item(), complex(x)) == ((), 0, 1, sf.sf16, 0.5, 0, True,
        0.5, 0.5)
    assert x.codes.shape == () and x.codes.dtype == np.int16 and repr(x.astype(sf.sf8)) == "sf8(0.5)" and x.astype(float) == 0.5
    assert not sf.sf16(0)


def test_the_version():
    assert bitfold.__version__ == sf.__version__ and bitfold.__version__.count(".") == 2
