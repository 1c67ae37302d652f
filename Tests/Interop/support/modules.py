"""Ties a test to the certification module whose behaviour it checks, so that the module's name is in the output."""

from __future__ import annotations

import pytest

# Plan of OpenID certification -> how its requests want to be answered.
PLANS = {
    "oidcc-basic-certification-test-plan": None,
    "oidcc-formpost-basic-certification-test-plan": "form_post",
}


def basic_module(name: str):
    """A module of the Basic OP plan, which the Form Post plan repeats with `response_mode=form_post`.

    The test takes the fixture `plan`.
    """
    cases = [pytest.param(mode, id=f"{name}/{'formpost' if mode else 'basic'}") for mode in PLANS.values()]
    return pytest.mark.parametrize("plan", cases, indirect=True)


def module(name: str):
    """A module of a plan that runs once."""

    def name_it(test):
        named = pytest.mark.parametrize("module_name", [pytest.param(name, id=name)], indirect=True)(test)
        return pytest.mark.usefixtures("module_name")(named)

    return name_it


def fapi_module(name: str):
    """A module of the plan of the FAPI 2.0 Security Profile; its name without what all of them begin with."""
    return module(f"fapi2-security-profile-final-{name}")
