internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// A user of Slack is one of a workspace, whose owner controls addresses: the operator's word about them counts for
    /// a single workspace alone (`team_id`).
    static let slack: ProviderPreset = {
        var preset = ProviderPreset(id: "slack", name: "Slack")
        preset.issuer = { _ in issuerOfSlack }
        preset.servesOne = { $0.parameters["team_id"] != nil }
        preset.expectedIssuer = { claims, settings in
            guard let team = claims[teamClaim]?.stringValue, !team.isEmpty,
                settings.parameters["team_id"].map({ $0 == team }) ?? true
            else { return nil }
            return issuerOfSlack
        }
        preset.subject = { claims in
            guard let team = claims[teamClaim]?.stringValue, let user = claims["sub"]?.stringValue,
                !team.contains("/"), claims["https://slack.com/user_id"]?.stringValue ?? user == user
            else { return nil }
            return "\(team)/\(user)"
        }
        preset.takesHints = false
        preset.emailTrust = { claims, settings in
            guard ProviderClaims.isTrue(claims["email_verified"]) else { return .unverified }
            return settings.trustsEmail && settings.parameters["team_id"] != nil ? .trusted : .verified
        }
        return preset
    }()

    private static let issuerOfSlack = "https://slack.com"
    private static let teamClaim = "https://slack.com/team_id"
}
