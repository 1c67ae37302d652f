"""A web view of an app that speaks with flows as DescopeKit does, played in Chromium.

Written after the description of its messages, not after its code: handlers `found`, `ready`, `bridge`, `abort`,
`failure`, `success` and `log`; an object `descopeBridge` in every frame; links that a user taps are never followed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from playwright.sync_api import Error

from support.window import Window

SECONDS = 10
NAMES = ["log", "found", "ready", "bridge", "abort", "failure", "success"]
REDIRECT = "descopewebauth://redirect"
AT_START = """
(() => {
  const handlers = {};
  for (const name of %s) handlers[name] = { postMessage: (body) => window.__post(name, body, window === window.top) };
  window.webkit = { messageHandlers: handlers };
  const post = (name, body) => window.webkit.messageHandlers[name].postMessage(body);
  window.descopeBridge = {
    hostInfo: { sdkName: "swift", platformName: "ios", webauthn: true },
    abortFlow(reason) { this.internal.aborted = true; post("abort", typeof reason === "string" ? reason : ""); },
    startFlow() { this.internal.start(); },
    internal: {
      component: null, aborted: false,
      start() {
        if (this.aborted || this.connect()) return;
        const timer = setInterval(() => { if (this.aborted || this.connect()) clearInterval(timer); }, 20);
      },
      connect() {
        this.component ||= document.querySelector("descope-wc");
        if (!this.component) return false;
        post("found", { refreshCookieName: this.component.refreshCookieName || null });
        return true;
      },
      initialize(nativeOptions, refreshJwt, clientInputs) {
        const element = this.component;
        element.nativeOptions = JSON.parse(nativeOptions);
        element.setAttribute("client", clientInputs);
        const ready = (tag) => element.bridgeVersion ? post("ready", tag) : post("failure", "no bridge version");
        if (element.flowStatus === "error") post("failure", "failed during initialization");
        else if (element.flowStatus === "ready") ready("immediate");
        else element.addEventListener("ready", () => ready("listener"));
        element.addEventListener("bridge", (event) => post("bridge", event.detail));
        element.addEventListener("error", (event) => post("failure", event.detail));
        element.addEventListener("success", (event) => post("success", event.detail ? JSON.stringify(event.detail) : ""));
        element.lazyInit?.();
      },
      handleResponse(type, payload) { this.component.nativeResume(type, payload); },
    },
  };
  addEventListener("DOMContentLoaded", () => window.descopeBridge.startFlow());
  // A web view cancels what a user taps, unless a script took it over.
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented) return;
    event.preventDefault();
    window.__post("intercepted", link.href, true);
  });
})();
""" % json.dumps(NAMES)


class FlowView:
    """The view, and the app behind it.

    - `messages`: what pages said, in order: name, body, whether the page itself did.
    - `ready`: whether the flow was ready; `result`: the JWT response; `failures`: what would end the flow.
    """

    def __init__(
        self, window: Window, *, native_provider: str = "", magic_link: str = "", inputs: dict | None = None
    ):
        self.page = window.page
        self.inputs = inputs or {}
        self.options = {
            "platform": "ios", "bridgeVersion": 1, "oauthProvider": native_provider, "oauthRedirect": REDIRECT,
            "ssoRedirect": REDIRECT, "externalAuthRedirect": REDIRECT, "magicLinkRedirect": magic_link,
        }
        self.messages: list[tuple[str, object, bool]] = []
        self.requests: list[dict] = []
        self.intercepted: list[str] = []
        self.failures: list[object] = []
        self.aborts: list[str] = []
        self.result: dict | None = None
        self.ready = False
        self._waiting: list[tuple[str, object, bool]] = []
        window.context.expose_binding(
            "__post", lambda source, name, body, is_main: self._waiting.append((name, body, is_main)))
        window.context.add_init_script(AT_START)
        self.page.on("response", self._judge)

    def _judge(self, response) -> None:
        # The web view takes these for pages that did not load.
        if response.request.is_navigation_request() and response.status >= 400:
            self.failures.append(f"status {response.status}: {response.url}")

    def pump(self, until: Callable[[], bool]) -> None:
        """Serves the page until something is so."""
        deadline = time.monotonic() + SECONDS
        while True:
            while self._waiting:
                self._serve(*self._waiting.pop(0))
            if until():
                return
            assert time.monotonic() < deadline, f"at {self.page.url}: {self.messages}, {self.failures}"
            self.page.wait_for_timeout(20)

    def _serve(self, name: str, body: object, is_main: bool) -> None:
        self.messages.append((name, body, is_main))
        if name == "found":
            # The page may be gone already; the next one says it again.
            options, inputs = (json.dumps(json.dumps(value)) for value in (self.options, self.inputs))
            self._run(
                "() => { const inner = window.descopeBridge.internal; if (!inner.component || window.__known) return;"
                f" window.__known = true; inner.initialize({options}, '', {inputs}); }}")
        elif name == "ready":
            self.ready = True
        elif name == "bridge":
            self.requests.append(body)
        elif name == "abort":
            self.aborts.append(body)
        elif name == "failure":
            self.failures.append(body)
        elif name == "success":
            self.result = json.loads(body)
        elif name == "intercepted":
            self.intercepted.append(body)

    def call(self, function: str, *arguments: str) -> None:
        """Runs a function of the bridge in the page."""
        text = ", ".join(json.dumps(argument) for argument in arguments)
        self._run(f"window.descopeBridge.internal.{function}({text})")

    def _run(self, script: str) -> None:
        try:
            self.page.evaluate(script)
        except Error as error:
            # What the page is told may lead to another one at once.
            if "navigation" not in str(error):
                raise

    def resume(self, kind: str, answer: dict) -> None:
        """The app's answer."""
        self.call("handleResponse", kind, json.dumps(answer))

    def open(self, base: str, project: str, flow: str, more: str = "") -> None:
        self.page.goto(f"{base}/login/{project}?mobile=true&flow={flow}{more}")
        self.pump(lambda: self.ready)

    def name(self) -> str | None:
        return self.page.locator("body").get_attribute("data-page")

    def shows(self, name: str) -> None:
        """Waits for a page."""
        self.pump(lambda: self.page.locator(f"body[data-page={name}]").count() == 1)
