internal import KeyturnBase
internal import KeyturnJose
internal import Model

extension ProviderPreset {
    /// Apple takes a statement of ours, signed with the team's key, for a client secret; it is made for each request.
    /// Relay addresses can be switched off by the user, so they link nothing.
    static let apple: ProviderPreset = {
        var preset = ProviderPreset(id: "apple", name: "Apple")
        preset.issuer = { _ in issuerOfApple }
        preset.scopes = ["openid", "email", "name"]
        preset.responseMode = "form_post"
        preset.takesHints = false
        preset.secretInForm = true
        preset.needs = [("team_id", "the team's identifier, ten characters"), ("key_id", "the key's identifier")]
        preset.clientSecret = { settings, ambient throws(ConnectionFault) in
            guard let pem = settings.clientSecret, let team = settings.parameters["team_id"],
                let key = settings.parameters["key_id"],
                let signing = try? SigningKey(pem: pem, passphrase: nil, algorithm: .es256)
            else { throw ConnectionFault(.misconfigured, "apple_key") }
            let now = ambient.now().rawValue
            let claims = JSONWriter.object { writer in
                writer.member("iss", team)
                writer.member("iat", now)
                writer.member("exp", now + 300)
                writer.member("aud", issuerOfApple)
                writer.member("sub", settings.clientID)
            }
            guard let secret = try? JWSSigner(key: signing, keyID: key, type: nil).sign(claims) else {
                throw ConnectionFault(.misconfigured, "apple_key")
            }
            return secret
        }
        preset.emailTrust = { claims, _ in
            guard let email = claims["email"]?.stringValue?.lowercased(),
                ProviderClaims.isTrue(claims["email_verified"])
            else { return .unverified }
            let isRelay =
                ProviderClaims.isTrue(claims["is_private_email"]) || email.hasSuffix("@privaterelay.appleid.com")
            return isRelay ? .verified : .trusted
        }
        return preset
    }()

    private static let issuerOfApple = "https://appleid.apple.com"
}
