"""Attack 88: whoever only looks at a link does not spend it, and a link says nothing to others."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
import requests

from support.messages import token_of
from support.methods import APP_PAGE, EMAIL, new_email, refused

# A JWT.
TOKEN = re.compile(r"eyJ[\w-]{8,}\.[\w-]{8,}\.")
# What mail programs, filters and messengers send before the person does.
SCANNERS = (
    {"User-Agent": "Mozilla/5.0 (compatible; SafeLinks)", "Accept": "*/*"},
    {"User-Agent": "WhatsApp/2.24", "Sec-Purpose": "prefetch;prerender", "Purpose": "prefetch"},
    {"User-Agent": "Mozilla/5.0", "Accept": "text/html", "X-Moz": "prefetch"},
)


def scan(project, link: str) -> list[requests.Response]:
    """Every request of somebody who looks and does not decide: at the link, and at the calls that spend it."""
    token = token_of(link)
    addresses = [
        link,
        f"{project.base}/link?t={token}",
        f"{project.base}/v1/auth/magiclink/verify?token={token}&t={token}",
        f"{project.base}/v1/auth/enchantedlink/verify?token={token}&t={token}",
    ]
    answers = []
    for address in addresses:
        if urlsplit(address).hostname == "app.example.com":
            continue
        for headers in SCANNERS:
            for method in ("GET", "HEAD", "OPTIONS"):
                answers.append(requests.request(method, address, headers=headers, timeout=10, allow_redirects=True))
    return answers


@pytest.mark.parametrize("page", [APP_PAGE, ""], ids=["page of the app", "page of the server"])
def test_attack_88_magic_link(project, client, page):
    """Twenty-seven looks and more, then the person: signed in."""
    email = new_email()
    client.magiclink.sign_up_or_in(EMAIL, email, page)
    message = project.mail.take(email)
    for answer in scan(project, message.link):
        assert answer.status_code < 500 and not TOKEN.search(answer.text), "a look brought a token"
        assert not any(TOKEN.search(cookie.value) for cookie in answer.cookies)
    project.tokens(client.magiclink.verify(message.token))


def test_attack_88_enchanted_link(project, client):
    """All three looked at: nobody is let in before the person decides."""
    email = new_email()
    started = client.enchantedlink.sign_up_or_in(email, "")
    links = project.mail.take(email).numbered()
    for link in links.values():
        scan(project, link)
    refused(lambda: client.enchantedlink.get_session(started["pendingRef"]), "E062503", status=401)
    client.enchantedlink.verify(token_of(links[started["linkId"]]))
    project.tokens(client.enchantedlink.get_session(started["pendingRef"]))


def test_attack_88_reset_and_embedded_links(project, client, mgmt):
    email = new_email()
    project.sign_up(email)
    client.password.send_reset(email, "")
    reset = project.mail.take(email)
    embedded = f"{project.base}/link?t={mgmt.user.generate_embedded_link(email)}"
    for link in (reset.link, embedded):
        scan(project, link)
        project.tokens(client.magiclink.verify(token_of(link)))


def test_pages_of_links_keep_the_secret(project, client):
    """Nothing on the way learns the address: no referrer, no copy, no frame."""
    email = new_email()
    client.magiclink.sign_up_or_in(EMAIL, email, "")
    page = requests.get(project.mail.take(email).link, timeout=10)
    if page.status_code == 404:
        pytest.skip("this server has no page for links")
    assert page.headers["Referrer-Policy"] == "no-referrer" and "no-store" in page.headers["Cache-Control"]
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
