/// What is accepted and checked, but what this release does nothing with yet. It is said, so that operators do not believe in a
/// protection that is not there.
enum Unused {
    /// Members of a client. `subject_type` is a protection: without it the client is less safe than it looks.
    private static let clientKeys = [
        "request_uris", "subject_type", "userinfo_signed_response_alg", "initiate_login_uri",
        "frontchannel_logout_uri", "frontchannel_logout_session_required",
    ]

    private static let sentence = "this release does not act on it yet"
    private static let advice = "Keep it for later, or remove it."

    static func warn(client section: Section) {
        for key in clientKeys where isAsked(key, section) { section.warning(key, sentence, advice) }
    }

    /// Switches that are off, and choices that are the only one there is, ask for nothing.
    private static func isAsked(_ key: String, _ section: Section) -> Bool {
        guard section.has(key) else { return false }
        switch key {
        case "subject_type": return section.text(key)?.value == "pairwise"
        case "frontchannel_logout_session_required": return section.boolean(key) == true
        default: return true
        }
    }
}
