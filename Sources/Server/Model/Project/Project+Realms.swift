internal import KeyturnWire

/// Issuers below the server's own: the address of a realm, below which apps of Trifork Identity Manager ask for the
/// discovery document. The document names that address (OpenID Connect Discovery §4.3), and so do the tokens of such a
/// sign-in. Users, clients and keys are the server's.
extension Project {
    /// The issuer of a realm; `nil`: the server's own.
    public func issuer(ofRealm realm: String?) -> String {
        Self.issuer(ofRealm: realm, below: issuer)
    }

    package static func issuer(ofRealm realm: String?, below issuer: String) -> String {
        guard let realm else { return issuer }
        return (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + KeyServicePaths.realms + realm
    }

    /// Whether a token signed by this server is of this server's issuer or of a realm's. Its keys sign for no other
    /// server, so tokens of a removed realm stay valid.
    package static func isIssuer(_ text: String?, of issuer: String) -> Bool {
        guard let text else { return false }
        return text == issuer || realm(of: text, below: issuer) != nil
    }

    /// Whether a client's signed statement is for this server or for one of its present realms.
    package func isIssuer(_ text: String) -> Bool {
        if text == issuer { return true }
        guard let realm = Self.realm(of: text, below: issuer) else { return false }
        return realms?.knows(realm: realm) ?? false
    }

    /// Whether a text is the address of the token endpoint, the server's own or a realm's.
    package func isTokenEndpoint(_ text: String) -> Bool {
        if text == tokenEndpoint { return true }
        return text.hasSuffix(Self.tokenPath) && text != issuer + Self.tokenPath
            && isIssuer(String(text.dropLast(Self.tokenPath.count)))
    }

    /// The realm that an issuer names; `nil`: none.
    private static func realm(of text: String, below issuer: String) -> String? {
        let realms = Self.issuer(ofRealm: "", below: issuer)
        guard text.hasPrefix(realms) else { return nil }
        let realm = String(text.dropFirst(realms.count))
        return KeyServiceSettings.isRealm(realm) ? realm : nil
    }
}
