"""Pages of a site that load our browser client from the server, as the guide says: as a module and as a script, with
the integrity hash and under a Content-Security-Policy."""

from __future__ import annotations

import json

from support.passkey_site import PasskeySite

NONCE = "only-these-inline-scripts"
FIELD = '<label>Name <input name="username" autocomplete="username webauthn" autofocus></label>'
FRAME = '<!doctype html><html lang="en"><meta charset="utf-8"><title>A site</title><link rel="icon" href="data:,"><body>'


def add_client_pages(site: PasskeySite, base: str, files: dict[str, dict]) -> None:
    """`/module` and `/script`; the same with a wrong hash; `/copy`, whose copy of the file has to be told the address.
    Each has `passkeys`, the client, once it is loaded."""
    key = json.dumps(site.service.party.publishable_key)
    module, script = files["passkeys.mjs"], files["passkeys.js"]

    def as_module(integrity: str) -> str:
        address = base + module["pinnedPath"]
        imports = json.dumps({"imports": {"keyturn-passkeys": address}, "integrity": {address: integrity}})
        return (
            f'{FRAME}{FIELD}<script type="importmap" nonce="{NONCE}">{imports}</script>'
            f'<script type="module" nonce="{NONCE}">import {{ SDK }} from "keyturn-passkeys";'
            f"window.passkeys = new SDK({key});</script>"
        )

    def as_script(integrity: str) -> str:
        return (
            f'{FRAME}{FIELD}<script src="{base}{script["pinnedPath"]}" integrity="{integrity}" crossorigin="anonymous">'
            f'</script><script nonce="{NONCE}">window.passkeys = new SnapAuth.SDK({key});</script>'
        )

    wrong = "sha384-" + "A" * 64
    site.pages |= {
        "/module": as_module(module["integrity"]),
        "/script": as_script(script["integrity"]),
        "/wrong-module": as_module(wrong),
        "/wrong-script": as_script(wrong),
    }
    site.policy = (
        f"default-src 'none'; script-src {base}/js/v1/ 'nonce-{NONCE}'; connect-src {base}; img-src data:; base-uri 'none'"
    )
