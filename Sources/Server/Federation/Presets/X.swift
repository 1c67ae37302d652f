internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// X has no ID tokens, and demands PKCE. It tells an address only if its user confirmed it once: the operator says
    /// whether it may link accounts.
    static let x: ProviderPreset = {
        var preset = ProviderPreset(id: "x", name: "X")
        preset.issuer = { _ in nil }
        preset.endpoints = { _ in
            [
                "authorization_endpoint": "https://x.com/i/oauth2/authorize",
                "token_endpoint": "https://api.x.com/2/oauth2/token",
            ]
        }
        preset.scopes = ["tweet.read", "users.read", "users.email"]
        preset.sendsNonce = false
        preset.takesHints = false
        preset.user = { session throws(ConnectionFault) in
            let fields = "id,name,username,profile_image_url,confirmed_email"
            let user = try await session.document("https://api.x.com/2/users/me?user.fields=\(fields)")["data"]
            guard let id = user?["id"]?.stringValue, UInt64(id) != nil else {
                throw ConnectionFault(.refused, "no_subject")
            }
            var profile = FederatedProfile(issuer: "https://x.com", subject: id)
            for (claim, member) in [
                ("name", "name"), ("preferred_username", "username"), ("picture", "profile_image_url"),
            ] {
                if let text = user?[member]?.stringValue { profile.claims[claim] = .string(text) }
            }
            if let email = user?["confirmed_email"]?.stringValue {
                profile.email = email
                profile.emailTrust = session.settings.trustsEmail ? .trusted : .verified
            }
            return profile
        }
        return preset
    }()
}
