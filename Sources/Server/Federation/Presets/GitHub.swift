internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// GitHub has no ID tokens. A user is a number there: login names are given to others.
    static let gitHub: ProviderPreset = {
        var preset = gitHubLike(id: "github", name: "GitHub")
        preset.endpoints = { _ in gitHubEndpoints("https://github.com") }
        preset.user = { session throws(ConnectionFault) in
            try await gitHubUser(
                session, interface: session.settings.parameters["api"] ?? "https://api.github.com",
                issuer: "https://github.com", trust: .trusted)
        }
        return preset
    }()

    /// What every server of GitHub has.
    static func gitHubLike(id: String, name: String) -> ProviderPreset {
        var preset = ProviderPreset(id: id, name: name)
        preset.issuer = { _ in nil }
        preset.scopes = ["read:user", "user:email"]
        preset.sendsNonce = false
        preset.takesHints = false
        preset.secretInForm = true
        return preset
    }

    static func gitHubEndpoints(_ base: String) -> [String: String] {
        [
            "authorization_endpoint": "\(base)/login/oauth/authorize",
            "token_endpoint": "\(base)/login/oauth/access_token",
        ]
    }

    /// The user of an access token.
    ///
    /// - Parameters:
    ///   - interface: the address of the server's interface.
    ///   - issuer: what stands for the server in identities.
    ///   - trust: how far the server's word about a verified address goes.
    static func gitHubUser(
        _ session: ProviderSession, interface: String, issuer: String, trust: FederatedProfile.EmailTrust
    ) async throws(ConnectionFault) -> FederatedProfile {
        let user = try await session.document("\(interface)/user")
        guard let id = user["id"]?.integerValue else { throw ConnectionFault(.refused, "no_subject") }
        var profile = FederatedProfile(issuer: issuer, subject: String(id))
        for (claim, member) in [("name", "name"), ("preferred_username", "login"), ("picture", "avatar_url")] {
            if let text = user[member]?.stringValue { profile.claims[claim] = .string(text) }
        }
        // The address of the profile says nothing of who reads its mail.
        let addresses = try await session.document("\(interface)/user/emails").arrayValue ?? []
        if let primary = addresses.first(where: { $0["primary"] == true && $0["verified"] == true }) {
            profile.email = primary["email"]?.stringValue
            profile.emailTrust = trust
        }
        return profile
    }
}
