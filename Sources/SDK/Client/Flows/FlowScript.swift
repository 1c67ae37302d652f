internal import KeyturnBase

/// The scripts that a view runs in the pages of a flow. Each value in them is JSON, and so cannot end the text that it
/// stands in.
enum FlowScript {
    /// Where the system's browser returns to from a provider.
    static let redirectURI = "descopewebauth://redirect"
    /// The page's element that is spoken with.
    private static let bridge = "window.descopeBridge?.internal"

    /// A value as JavaScript.
    static func literal(_ value: JSONValue) -> String {
        String(decoding: value.serialized, as: UTF8.self)
            // What a script or an older engine would take for something else.
            .replacing("<", with: "\\u003c").replacing("\u{2028}", with: "\\u2028")
            .replacing("\u{2029}", with: "\\u2029")
    }

    /// Runs in pages of an origin alone: another page may be shown meanwhile, such as a provider's.
    private static func only(at origin: String, _ script: String) -> String {
        "location.origin === \(literal(.string(origin))) && \(script)"
    }

    /// Tells the element what it needs, and listens to it.
    static func initialize(_ options: EmbeddedFlowOptions, at origin: String) -> String {
        let native: JSONValue = [
            "platform": "ios", "bridgeVersion": .integer(1),
            "oauthProvider": .string(options.nativeProvider?.rawValue ?? ""),
            "oauthRedirect": .string(redirectURI), "ssoRedirect": .string(redirectURI),
            "externalAuthRedirect": .string(redirectURI),
            "magicLinkRedirect": .string(options.magicLinkURL ?? ""),
        ]
        return only(at: origin, "\(bridge).initialize(\(literal(native)), \(literal(.object(options.clientInputs))))")
    }

    /// Answers a request of the page.
    static func resume(_ type: String, _ answer: JSONValue, at origin: String) -> String {
        let text = String(decoding: answer.serialized, as: UTF8.self)
        return only(at: origin, "\(bridge).handleResponse(\(literal(.string(type))), \(literal(.string(text))))")
    }

    /// Runs when a page begins, in the page itself and in no frame of it: finds the element as soon as it is there.
    static let atDocumentStart = """
        (() => {
          if (window.descopeBridge) return;
          const post = (name, body) => window.webkit?.messageHandlers?.[name]?.postMessage(body);
          let element = null, isOver = false, isKnown = false;
          const connect = () => {
            if (isOver || element) return true;
            element = document.querySelector("descope-wc");
            if (!element) return false;
            post("found", { refreshCookieName: element.refreshCookieName || null });
            return true;
          };
          const seek = () => {
            if (connect()) return;
            const timer = setInterval(() => { if (connect()) clearInterval(timer); }, 20);
          };
          const initialize = (nativeOptions, inputs) => {
            if (!element || isKnown) return;
            isKnown = true;
            element.nativeOptions = nativeOptions;
            if (Object.keys(inputs).length > 0) {
              let known = {};
              try { known = JSON.parse(element.getAttribute("client") || "{}"); } catch {}
              element.setAttribute("client", JSON.stringify({ ...known, ...inputs }));
            }
            const ready = (tag) => {
              if (element.bridgeVersion) post("ready", tag);
              else post("failure", "The page has no element that an app can speak with");
            };
            if (element.flowStatus === "error") post("failure", "The flow failed when it began");
            else if (element.flowStatus === "ready") ready("immediate");
            else element.addEventListener("ready", () => ready("listener"));
            element.addEventListener("bridge", (event) => post("bridge", event.detail));
            element.addEventListener("error", (event) => post("failure", event.detail));
            element.addEventListener("success", (event) => {
              post("success", event.detail && Object.keys(event.detail).length > 0 ? JSON.stringify(event.detail) : "");
            });
            element.lazyInit?.();
          };
          window.descopeBridge = {
            hostInfo: { sdkName: "keyturn", webauthn: true },
            abortFlow(reason) { isOver = true; post("abort", typeof reason === "string" ? reason : ""); },
            startFlow: seek,
            internal: {
              initialize,
              handleResponse(type, json) { element?.nativeResume?.(type, json); },
            },
          };
          addEventListener("error", (event) => post("log", { tag: "fail", message: String(event.message) }));
          if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", seek);
          else seek();
        })();
        """
}
