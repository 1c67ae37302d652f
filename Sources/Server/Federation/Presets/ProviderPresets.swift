package import Model

extension ProviderPreset {
    /// Every preset, in the order in which help texts list them.
    package static let all: [ProviderPreset] = [
        google, apple, microsoft, entraExternalID, gitHub, gitHubEnterprise, gitLab, facebook, linkedIn, discord, slack,
        x,
    ]

    /// OpenID Connect by discovery.
    package static let openID: ProviderPreset = {
        var preset = ProviderPreset(id: "openid", name: "OpenID Connect")
        preset.servesOne = { _ in true }
        preset.offlineScope = "offline_access"
        return preset
    }()

    /// The preset of a connection; `nil`: there is none of this name.
    package static func of(_ settings: OpenIDConnectionSettings) -> ProviderPreset? {
        guard let id = settings.preset else { return openID }
        return all.first { $0.id == id }
    }
}
