internal import Identity

/// What `profile: fapi2` asks of the rest of a client's entry (FAPI 2.0 Security Profile §5.3, §5.4), beside its
/// authentication. What it switches on by itself need not be written.
enum ProfileRules {
    static let algorithms = ["ES256", "EdDSA", "PS256"]

    static func check(_ section: Section, profile: ClientProfile) {
        guard profile == .fapi2 else { return }
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
        for key in ["dpop_bound_access_tokens", "require_pushed_authorization_requests"]
        where section.boolean(key) == false {
            section.mistake(key, "fapi2 is exactly this", "Remove the key, or the profile.")
        }
    }
}
