private import KeyturnBase
private import Model

/// Which addresses may stand where. Each rule returns why not, or `nil`.
enum URIRules {
    /// Where a browser may be sent with a code (RFC 6749 §3.1.2, RFC 9700 §2.1): compared character by character.
    static func redirect(_ text: String, isDevelopment: Bool) -> Refusal? {
        if let flaw = RedirectURI.flaw(in: text) { return refusal(flaw) }
        guard let parts = URIParts(text), parts.isWeb else { return nil }
        return web(parts, isDevelopment: isDevelopment)
    }

    private static func refusal(_ flaw: RedirectURI.Flaw) -> Refusal {
        switch flaw {
        case .malformed: notAbsolute("https://app.example.com/callback or myapp:/callback")
        case .wildcard:
            Refusal("a redirect URI cannot hold a wildcard", "List each address; they are compared exactly.")
        case .scheme(let scheme):
            Refusal(
                "the scheme \"\(scheme):\" never leads back to an application",
                "Use https, http on a loopback address, or a scheme of the application's own.")
        case .fragment: Refusal("a redirect URI cannot have a fragment", "Remove \"#\" and what follows it.")
        case .userName: withUserinfo
        case .host: withoutHost
        case .query: Refusal("its query cannot be read", "Percent-encode it as UTF-8.")
        case .responseParameter(let name):
            Refusal("the query holds \"\(name)\", which the server adds itself", "Rename or remove that parameter.")
        }
    }

    /// Where the server itself sends requests, or browsers: https, or http on this machine.
    static func endpoint(_ text: String, isDevelopment: Bool) -> Refusal? {
        guard let parts = URIParts(text), parts.isWeb else { return notAbsolute("https://app.example.com/path") }
        guard parts.userinfo == nil else { return withUserinfo }
        guard parts.fragment == nil else { return Refusal("it has a fragment", "Remove \"#\" and what follows it.") }
        return web(parts, isDevelopment: isDevelopment)
    }

    /// A page for people to read.
    static func page(_ text: String) -> Refusal? {
        guard let parts = URIParts(text), parts.isWeb, parts.host != nil else {
            return notAbsolute("https://app.example.com/about")
        }
        return nil
    }

    /// The list `resources` of a section: names of APIs. The server's own issuer is none: tokens for it open its own
    /// endpoints, and a client that could ask for them, or introspect them, would have everybody's.
    static func resources(_ section: Section) -> [String] {
        (section.texts("resources") ?? []).filter { text in
            let isOwn = section.reading.issuer.map { text.value == $0 || text.value == $0 + "/" } ?? false
            let refusal =
                isOwn
                ? Refusal(
                    "it is this server's own issuer, whose tokens open the server itself",
                    "Remove it, and give the API an address of its own.") : resource(text.value)
            return section.reading.check(refusal, text)
        }.map(\.value)
    }

    /// The name of a resource server (RFC 8707 §2), or an audience: absolute, without a fragment, and such that a request
    /// can ask for it.
    static func resource(_ text: String) -> Refusal? {
        switch RedirectURI.flaw(in: text) {
        case nil: nil
        case .malformed: notAbsolute("https://api.example.com")
        case .fragment: Refusal("a resource indicator cannot have a fragment", "Remove \"#\" and what follows it.")
        case let flaw?: Refusal("requests for it are refused: \(flaw)", "Give the API an address without it.")
        }
    }

    /// An issuer (OpenID Connect Discovery §3, RFC 8414 §2).
    static func issuer(_ text: String, isDevelopment: Bool) -> Refusal? {
        guard let parts = URIParts(text), parts.isWeb else {
            return Refusal(
                "an issuer is an absolute https address",
                "Write it as https://id.example.com, or \"auto\" for the address that the server listens on.")
        }
        guard parts.query == nil, parts.fragment == nil, parts.userinfo == nil else {
            return Refusal(
                "an issuer has no query, no fragment and no user name", "Keep only scheme, host, port and path.")
        }
        guard text.hasPrefix(parts.scheme) else {
            return Refusal("the scheme of the issuer has capital letters", "Write it as \(parts.scheme)://….")
        }
        guard !text.hasSuffix("/") else {
            return Refusal("the issuer ends in \"/\"", "Remove it: clients compare issuers character by character.")
        }
        return web(parts, isDevelopment: isDevelopment)
    }

    /// The origin of a page that may use passkeys (WebAuthn §13.4.9), under a relying party's domain.
    static func origin(_ text: String, relyingParty: String?, isDevelopment: Bool) -> Refusal? {
        // Android names an application by its signing key instead.
        if text.hasPrefix("android:apk-key-hash:") { return nil }
        guard let parts = URIParts(text), parts.isWeb, let host = parts.host else {
            return notAbsolute("https://app.example.com")
        }
        guard parts.path.isEmpty, parts.query == nil, parts.fragment == nil, parts.userinfo == nil else {
            return Refusal("an origin is only scheme, host and port", "Remove what follows, even a single \"/\".")
        }
        if let relyingParty, host.text != relyingParty, !host.text.hasSuffix("." + relyingParty) {
            return Refusal(
                "the origin is not under rp_id \"\(relyingParty)\"", "Browsers refuse this; correct either of them.")
        }
        return web(parts, isDevelopment: isDevelopment)
    }

    private static var withUserinfo: Refusal {
        Refusal("it holds a user name before \"@\"", "Remove it; if there was a password in it, change the password.")
    }

    private static var withoutHost: Refusal { Refusal("it names no host", "Write it as https://HOST/….") }

    private static func web(_ parts: URIParts, isDevelopment: Bool) -> Refusal? {
        guard parts.host != nil else { return withoutHost }
        guard parts.scheme == "https" || parts.isLoopbackInBrowsers || isDevelopment else {
            return Refusal(
                "http is readable on the way, and allowed for this machine only",
                "Use https. For loopback (127.0.0.1, [::1], localhost) http is fine; elsewhere only with dev: true.")
        }
        return nil
    }

    private static func notAbsolute(_ example: String) -> Refusal {
        Refusal("it is not an absolute address", "Write it as \(example), special characters percent-encoded.")
    }
}
