"""What becomes of a forged answer: refused, and nothing is broken for the owner."""

from __future__ import annotations

from support.passkey_wire import check_refusal

REGISTER, SIGN_IN = "/attestation/process", "/assertion/process"


def registration_refused(keys, credential: dict) -> dict:
    problem = check_refusal(keys.post(REGISTER, {"credential": credential}, keys.public), status=400)
    assert problem["code"] == "InvalidInput", problem
    return problem


def sign_in_refused(keys, credential: dict, user: dict | None = None, *codes: str) -> dict:
    body = {"credential": credential, **({"user": user} if user else {})}
    return check_refusal(keys.post(SIGN_IN, body, keys.public), *codes)


def still_signs_in(keys, user, device) -> None:
    """The attack has broken nothing for the owner, and what was refused was refused for what was wrong with it."""
    device.count += 1
    assert keys.whose(keys.finish_sign_in(device.get(keys.request_options()))) == user.id
