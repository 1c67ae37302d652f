/// What is accepted and checked, but what this release does nothing with yet. It is said, so that operators do not believe in a
/// protection that is not there.
enum Unused {
    private static let clientKeys = [
        "request_uris", "userinfo_signed_response_alg", "initiate_login_uri",
        "frontchannel_logout_uri", "frontchannel_logout_session_required",
    ]

    private static let sentence = "this release does not act on it yet"
    private static let advice = "Keep it for later, or remove it."

    static func warn(client section: Section) {
        refusePairwise(section)
        for key in clientKeys where isAsked(key, section) { section.warning(key, sentence, advice) }
    }

    /// Pairwise subjects are a protection: without them the client is less safe than its entry says, so a warning is not
    /// enough.
    private static func refusePairwise(_ section: Section) {
        if let type = section.text("subject_type")?.value, type != "public" {
            section.mistake(
                "subject_type", "this server has no pairwise subjects: every client hears the same subject",
                "Write public, or remove the key.")
        }
        if section.has("sector_identifier_uri") {
            section.mistake(
                "sector_identifier_uri", "it is for pairwise subjects, which this server does not have",
                "Remove the key.")
        }
    }

    /// Switches that are off, and choices that are the only one there is, ask for nothing.
    private static func isAsked(_ key: String, _ section: Section) -> Bool {
        guard section.has(key) else { return false }
        switch key {
        case "frontchannel_logout_session_required": return section.boolean(key) == true
        default: return true
        }
    }
}
