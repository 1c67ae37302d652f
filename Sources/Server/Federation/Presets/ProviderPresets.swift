internal import KeyturnBase
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
        preset.servesOne = { settings in
            settings.issuer.flatMap { URIParts($0) }.flatMap { parts in parts.host?.text }.map { host in
                !publicHosts.contains(host.lowercased())
            } ?? false
        }
        preset.offlineScope = "offline_access"
        return preset
    }()

    /// Where anyone has an account, when such a provider is named by its issuer.
    private static let publicHosts: Set<String> = [
        "accounts.google.com", "login.microsoftonline.com", "appleid.apple.com", "account.apple.com", "gitlab.com",
        "slack.com", "www.facebook.com", "www.linkedin.com", "discord.com", "github.com",
    ]

    /// The preset of a connection; `nil`: there is none of this name.
    package static func of(_ settings: OpenIDConnectionSettings) -> ProviderPreset? {
        guard let id = settings.preset else { return openID }
        return all.first { $0.id == id }
    }
}
