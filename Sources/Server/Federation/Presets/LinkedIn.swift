internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// LinkedIn gives back no nonce, and its web sign-in fails with a code verifier. `email_verified` is text in its ID
    /// tokens.
    static let linkedIn: ProviderPreset = {
        var preset = ProviderPreset(id: "linkedin", name: "LinkedIn")
        preset.issuer = { _ in "https://www.linkedin.com/oauth" }
        preset.scopes = ["openid", "profile", "email"]
        preset.sendsNonce = false
        preset.sendsChallenge = false
        preset.takesHints = false
        preset.secretInForm = true
        return preset
    }()
}
