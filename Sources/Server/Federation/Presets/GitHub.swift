internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// GitHub has no ID tokens. A user is a number there: login names are given to others.
    static let gitHub: ProviderPreset = {
        var preset = ProviderPreset(id: "github", name: "GitHub")
        preset.issuer = { _ in nil }
        preset.endpoints = { _ in
            [
                "authorization_endpoint": "https://github.com/login/oauth/authorize",
                "token_endpoint": "https://github.com/login/oauth/access_token",
            ]
        }
        preset.scopes = ["read:user", "user:email"]
        preset.sendsNonce = false
        preset.takesHints = false
        preset.secretInForm = true
        preset.user = { session throws(ConnectionFault) in
            let interface = session.settings.parameters["api"] ?? "https://api.github.com"
            let user = try await session.document("\(interface)/user")
            guard let id = user["id"]?.integerValue else { throw ConnectionFault(.refused, "no_subject") }
            var profile = FederatedProfile(issuer: "https://github.com", subject: String(id))
            for (claim, member) in [("name", "name"), ("preferred_username", "login"), ("picture", "avatar_url")] {
                if let text = user[member]?.stringValue { profile.claims[claim] = .string(text) }
            }
            // The address of the profile says nothing of who reads its mail.
            let addresses = try await session.document("\(interface)/user/emails").arrayValue ?? []
            if let primary = addresses.first(where: { $0["primary"] == true && $0["verified"] == true }) {
                profile.email = primary["email"]?.stringValue
                profile.emailTrust = .trusted
            }
            return profile
        }
        return preset
    }()
}
