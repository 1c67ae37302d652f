internal import Identity

/// What is accepted and checked, but what this release does nothing with yet. It is said, so that nobody believes in a
/// protection that is not there.
enum Unused {
    /// Members of a client. The first four are protections: without them the client is less safe than it looks.
    private static let clientKeys = [
        "require_pushed_authorization_requests", "request_object_signing_alg", "request_uris", "subject_type",
        "default_acr_values", "userinfo_signed_response_alg", "initiate_login_uri",
        "frontchannel_logout_uri", "frontchannel_logout_session_required",
    ]

    private static let sentence = "this release does not act on it yet"
    private static let advice = "Keep it for later, or remove it."

    static func warn(client section: Section, profile: ClientProfile) {
        for key in clientKeys where isAsked(key, section) { section.warning(key, sentence, advice) }
        if profile == .fapi2 {
            section.warning(
                "profile", "this release does not enforce FAPI 2.0 yet", "Do not rely on it: the client works as usual."
            )
        }
    }

    /// Switches that are off, and choices that are the only one there is, ask for nothing.
    private static func isAsked(_ key: String, _ section: Section) -> Bool {
        guard section.has(key) else { return false }
        switch key {
        case "subject_type": return section.text(key)?.value == "pairwise"
        case "require_pushed_authorization_requests", "frontchannel_logout_session_required":
            return section.boolean(key) == true
        default: return true
        }
    }
}
