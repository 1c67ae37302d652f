internal import Crypto
internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// Facebook has no ID tokens in a browser, and no word about addresses: they link nothing, whatever the operator
    /// says.
    static let facebook: ProviderPreset = {
        var preset = ProviderPreset(id: "facebook", name: "Facebook")
        preset.issuer = { _ in nil }
        preset.endpoints = { settings in
            [
                "authorization_endpoint": "https://www.facebook.com/\(version(settings))/dialog/oauth",
                "token_endpoint": "https://graph.facebook.com/\(version(settings))/oauth/access_token",
            ]
        }
        preset.scopes = ["public_profile", "email"]
        preset.sendsNonce = false
        preset.sendsChallenge = false
        preset.takesHints = false
        preset.secretInForm = true
        preset.user = { session throws(ConnectionFault) in
            guard let secret = session.settings.clientSecret else { throw ConnectionFault(.misconfigured, "secret") }
            let fields = "id,name,first_name,last_name,email,picture"
            let proof = signature(of: session.accessToken, by: secret)
            let user = try await session.document(
                "https://graph.facebook.com/\(version(session.settings))/me?fields=\(fields)&appsecret_proof=\(proof)")
            guard let id = user["id"]?.stringValue else { throw ConnectionFault(.refused, "no_subject") }
            var profile = FederatedProfile(issuer: "https://www.facebook.com", subject: id)
            profile.email = user["email"]?.stringValue
            for (claim, member) in [("name", "name"), ("given_name", "first_name"), ("family_name", "last_name")] {
                if let text = user[member]?.stringValue { profile.claims[claim] = .string(text) }
            }
            if let picture = user["picture"]?["data"]?["url"]?.stringValue {
                profile.claims["picture"] = .string(picture)
            }
            return profile
        }
        return preset
    }()

    /// Calls without a version break when the app's oldest one is retired.
    private static func version(_ settings: OpenIDConnectionSettings) -> String {
        guard let named = settings.parameters["version"], named.wholeMatch(of: #/v\d{1,3}\.\d{1,2}/#) != nil else {
            return "v23.0"
        }
        return named
    }

    /// What shows that the token is used by the app that got it (`appsecret_proof`), in hexadecimal digits.
    private static func signature(of token: String, by secret: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(token.utf8), using: SymmetricKey(data: Array(secret.utf8)))
        return Base16.encode(code)
    }
}
