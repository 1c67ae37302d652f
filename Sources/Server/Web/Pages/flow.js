// Pages of a flow in the web view of an app. The app's code finds the element, calls it, and listens to its events.
// In any other browser there is no such code, and the pages work by themselves.
const hasBridge = () => Boolean(window.descopeBridge || window.webkit?.messageHandlers?.found);
const parsed = (text) => {
  try { return JSON.parse(text) ?? {}; } catch { return {}; }
};

class FlowElement extends HTMLElement {
  bridgeVersion = 1;
  flowStatus = "initial";
  nativeOptions = {};
  storagePrefix = "";
  refreshCookieName = "";
  #request = null;

  // Called once by the app's code, when it listens.
  lazyInit() {
    if (this.flowStatus !== "initial" || this.#begin()) return;
    this.flowStatus = "ready";
    this.#tell("ready", {});
    this.#finish();
    this.#abort();
    this.#ask();
  }

  // The app's answer to a request, or a link that was opened with the app.
  nativeResume(type, json) {
    const answer = parsed(json);
    if (type === "magicLink") return this.#follow(answer.url);
    const form = document.querySelector("form[data-flow-request]");
    if (!form || !this.#request) return;
    if (type === "failure") {
      const isCancelled = String(answer.failure).endsWith("Cancelled");
      return location.replace(isCancelled ? form.dataset.cancelled : form.dataset.failed);
    }
    if (type !== this.#request) return;
    this.#request = null;
    form.elements.kind.value = type;
    form.elements.answer.value = json;
    form.submit();
  }

  #tell(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  // The flow begins again with what the app tells the journey.
  #begin() {
    const inputs = parsed(this.getAttribute("client"));
    if (!this.dataset.inputsAt || Object.keys(inputs).length === 0) return false;
    const query = new URLSearchParams({ journey_inputs: JSON.stringify(inputs) });
    location.replace(`${this.dataset.inputsAt}&${query}`);
    return true;
  }

  // The last page: the session is fetched once.
  async #finish() {
    const form = document.querySelector("form[data-flow-result]");
    if (!form) return;
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(form.action, { method: "POST", body, cache: "no-store" });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const result = await answer.json();
      this.flowStatus = "success";
      this.#tell("success", result);
    } catch (error) {
      this.flowStatus = "error";
      this.#tell("error", { errorCode: "E102004", errorDescription: "The flow failed", errorMessage: String(error) });
    }
  }

  #abort() {
    if (document.querySelector("[data-flow-abort]")) window.descopeBridge?.abortFlow?.("");
  }

  // The page before a provider: the app shows the provider, in the system's browser or a sheet.
  #ask() {
    const form = document.querySelector("form[data-flow-request]");
    if (!form) return;
    const asked = parsed(form.dataset.flowRequest);
    const isNative = asked.native && this.nativeOptions?.oauthProvider === asked.connection;
    const detail = isNative ? asked.native : asked.web;
    this.#request = detail.type;
    this.#tell("bridge", detail);
  }

  // Only links of this server, or of the app's own address for them.
  #follow(text) {
    let link;
    try { link = new URL(text); } catch { return; }
    const own = this.nativeOptions?.magicLinkRedirect;
    const isOwn = typeof own === "string" && own !== "" && text.split("?")[0] === own.split("?")[0];
    const token = link.searchParams.get("t");
    if (!token || (!isOwn && (link.origin !== location.origin || link.pathname !== "/link"))) return;
    location.assign(`/link?${new URLSearchParams({ t: token })}`);
  }
}
customElements.define("descope-wc", FlowElement);

addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form[data-flow-request]");
  if (!hasBridge()) {
    // Without the app's code the provider is shown here.
    form?.querySelector("button[value=here]")?.click();
    return;
  }
  // The app's code keeps links from being followed, and shows them elsewhere: those of this server belong here.
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!link || event.defaultPrevented || link.target || link.origin !== location.origin) return;
    event.preventDefault();
    location.assign(link.href);
  });
});
