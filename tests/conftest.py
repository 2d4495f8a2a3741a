# SPDX-License-Identifier: Apache-2.0
"""Options of the whole suite: --full adds the long part, --seed changes every generated datum and is printed."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("bitfold", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), print_blob=True)
settings.load_profile("bitfold")


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run the long part too")
    parser.addoption("--seed", type=int, default=int(os.environ.get("BITFOLD_SEED", "20240607")), help="seed of generated data")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: the long part, run with --full")


def pytest_report_header(config):
    return f"bitfold: seed {config.getoption('seed')}, {'everything' if config.getoption('full') else 'the quick part'}"


def pytest_collection_modifyitems(config, items):
    if not config.getoption("full"):
        for item in items:
            if "full" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="the long part needs --full"))


@pytest.fixture(scope="session")
def seed(request):
    return request.config.getoption("seed")


@pytest.fixture(scope="session")
def full(request):
    return request.config.getoption("full")
