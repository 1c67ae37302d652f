/// The name of a provider, as the project has it. An open set.
public struct SocialProvider: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// Sign in with Apple.
    public static let apple = Self(rawValue: "apple")
    /// Discord.
    public static let discord = Self(rawValue: "discord")
    /// Facebook.
    public static let facebook = Self(rawValue: "facebook")
    /// GitHub.
    public static let github = Self(rawValue: "github")
    /// GitLab.
    public static let gitlab = Self(rawValue: "gitlab")
    /// Google.
    public static let google = Self(rawValue: "google")
    /// LinkedIn.
    public static let linkedin = Self(rawValue: "linkedin")
    /// Microsoft Entra ID and personal accounts.
    public static let microsoft = Self(rawValue: "microsoft")
    /// Slack.
    public static let slack = Self(rawValue: "slack")
}
