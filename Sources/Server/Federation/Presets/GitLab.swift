internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// gitlab.com verifies addresses; an instance of one's own is trusted as the operator says.
    static let gitLab: ProviderPreset = {
        var preset = ProviderPreset(id: "gitlab", name: "GitLab")
        preset.issuer = { $0.issuer ?? issuerOfGitLab }
        preset.servesOne = { $0.issuer ?? issuerOfGitLab != issuerOfGitLab }
        preset.emailTrust = { claims, settings in
            guard ProviderClaims.isTrue(claims["email_verified"]) else { return .unverified }
            return settings.trustsEmail || settings.issuer ?? issuerOfGitLab == issuerOfGitLab ? .trusted : .verified
        }
        return preset
    }()

    private static let issuerOfGitLab = "https://gitlab.com"
}
