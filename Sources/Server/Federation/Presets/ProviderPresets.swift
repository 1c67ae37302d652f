internal import Foundation
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
            guard let issuer = settings.issuer, let host = URIParts(issuer)?.host?.text else { return false }
            return !publicHosts.contains(host.lowercased()) || isTenantOfMicrosoft(issuer)
        }
        preset.offlineScope = "offline_access"
        return preset
    }()

    /// Whether an issuer is that of a single tenant of Entra, whose administrators say who its users are.
    private static func isTenantOfMicrosoft(_ issuer: String) -> Bool {
        let prefix = "https://login.microsoftonline.com/"
        guard issuer.lowercased().hasPrefix(prefix) else { return false }
        let tenant = String(issuer.dropFirst(prefix.count).prefix { $0 != "/" })
        return UUID(uuidString: tenant) != nil && tenant.lowercased() != microsoftConsumers
    }

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
