internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// Discord has no ID tokens. It verified addresses once: the operator says whether they may link accounts.
    static let discord: ProviderPreset = {
        var preset = ProviderPreset(id: "discord", name: "Discord")
        preset.issuer = { _ in nil }
        preset.endpoints = { _ in
            [
                "authorization_endpoint": "https://discord.com/oauth2/authorize",
                "token_endpoint": "https://discord.com/api/oauth2/token",
            ]
        }
        preset.scopes = ["identify", "email"]
        preset.sendsNonce = false
        preset.takesHints = false
        preset.secretInForm = true
        preset.user = { session throws(ConnectionFault) in
            let user = try await session.document("https://discord.com/api/users/@me")
            // A number of 64 bits that is written as text.
            guard let id = user["id"]?.stringValue, UInt64(id) != nil else {
                throw ConnectionFault(.refused, "no_subject")
            }
            var profile = FederatedProfile(issuer: "https://discord.com", subject: id)
            if let name = user["global_name"]?.stringValue ?? user["username"]?.stringValue {
                profile.claims["name"] = .string(name)
            }
            if let name = user["username"]?.stringValue { profile.claims["preferred_username"] = .string(name) }
            if let locale = user["locale"]?.stringValue { profile.claims["locale"] = .string(locale) }
            if let avatar = user["avatar"]?.stringValue, avatar.allSatisfy({ $0.isHexDigit || $0 == "a" || $0 == "_" })
            {
                profile.claims["picture"] = .string("https://cdn.discordapp.com/avatars/\(id)/\(avatar).png")
            }
            profile.email = user["email"]?.stringValue
            if profile.email != nil, user["verified"] == true {
                profile.emailTrust = session.settings.trustsEmail ? .trusted : .verified
            }
            return profile
        }
        return preset
    }()
}
