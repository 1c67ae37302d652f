internal import KeyturnWire
internal import Model

/// What a profile asks of the rest of a client's entry, beside its authentication: `fapi2` (FAPI 2.0 Security Profile §5.3,
/// §5.4), where what it switches on by itself need not be written, `tim` and `authgear`.
enum ProfileRules {
    static let algorithms = ["ES256", "EdDSA", "PS256"]

    /// - Parameter method: how the client authenticates.
    static func check(_ section: Section, profile: ClientProfile, method: ClientAuthenticationMethod) {
        switch profile {
        case .standard: break
        case .fapi2: checkStrict(section)
        case .tim: checkReusing(section, method: method)
        case .authgear: checkAuthgear(section, method: method)
        }
    }

    /// What `profile: tim` needs: an app of the operator's own, without a secret, that refreshes.
    private static func checkReusing(_ section: Section, method: ClientAuthenticationMethod) {
        if method != .none {
            section.mistake(
                "profile", "tim is for apps without a secret",
                "Write token_endpoint_auth_method: none, or remove the profile.")
        }
        if section.boolean("first_party") != true {
            section.mistake(
                "profile", "tim is for the operator's own apps: its refresh tokens are not used up",
                "Write first_party: true, or remove the profile.")
        }
        if !(section.texts("grant_types") ?? []).contains(where: { $0.value == GrantType.refreshToken.rawValue }) {
            section.mistake(
                "profile", "tim is about refresh tokens, which this client does not get",
                "Add refresh_token to grant_types, or remove the profile.")
        }
        if section.boolean("dpop_bound_access_tokens") == true {
            section.mistake(
                "dpop_bound_access_tokens", "clients of TIM have no keys to prove", "Remove the key, or the profile.")
        }
    }

    /// What `profile: authgear` needs: an app of the operator's own, without a secret, with the scopes that its SDK asks for.
    private static func checkAuthgear(_ section: Section, method: ClientAuthenticationMethod) {
        if method != .none {
            section.mistake(
                "profile", "authgear is for apps without a secret",
                "Write token_endpoint_auth_method: none, or remove the profile.")
        }
        if section.boolean("first_party") != true {
            section.mistake(
                "profile", "authgear is for the operator's own apps: they read everything about the person",
                "Write first_party: true, or remove the profile.")
        }
        if !(section.texts("grant_types") ?? []).contains(where: { $0.value == GrantType.refreshToken.rawValue }) {
            section.mistake(
                "profile", "apps of Authgear keep people signed in, and this client gets no refresh tokens",
                "Add refresh_token to grant_types, or remove the profile.")
        }
        let scopes = section.text("scope").flatMap { Scope($0.value) } ?? .none
        if let missing = ClientProfile.authgearScopes.first(where: { !scopes.contains($0) }) {
            section.mistake(
                section.has("scope") ? "scope" : "profile", "apps of Authgear ask for \(missing)",
                "Write scope: \(ClientProfile.authgearScopes.joined(separator: " "))")
        }
        if section.boolean("dpop_bound_access_tokens") == true {
            section.mistake(
                "dpop_bound_access_tokens", "apps of Authgear present their access tokens as Bearer",
                "Remove the key, or the profile.")
        }
    }

    private static func checkStrict(_ section: Section) {
        for key in ["id_token_signed_response_alg", "request_object_signing_alg", "token_endpoint_auth_signing_alg"] {
            guard let name = section.text(key)?.value, !algorithms.contains(name) else { continue }
            section.mistake(
                key, "fapi2 allows no signatures with \(Printable.text(name))",
                "Choose one of: \(algorithms.joined(separator: ", ")).")
        }
        // ID tokens are signed as the client registered; access tokens, as the project signs first.
        if let first = section.reading.signingAlgorithms.first, !algorithms.contains(first) {
            section.mistake(
                "profile", "fapi2 allows no tokens that are signed with \(first), with which the project signs first",
                "Put ES256 first in project.signing_algorithms.")
        }
        for key in ["dpop_bound_access_tokens", "require_pushed_authorization_requests", "strict_assertions"]
        where section.boolean(key) == false {
            section.mistake(key, "fapi2 is exactly this", "Remove the key, or the profile.")
        }
    }
}
