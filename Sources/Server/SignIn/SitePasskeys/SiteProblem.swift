/// Why a site's page or backend was refused.
public enum SiteProblem: Error, Hashable, Sendable {
    /// A ceremony's answer was refused.
    case passkey(PasskeyProblem)
    /// A name that is empty or too long.
    case nameInvalid
    /// Never issued, redeemed before, or of the other kind.
    case tokenUnknown
    case tokenExpired
    /// There is no such credential or user.
    case unknown
    /// The user has another user name already.
    case usernameDiffers
    /// Another user of the site has the user name.
    case usernameTaken
    /// No relying party has this secret key.
    case secretKeyUnknown
    /// The relying party takes only passkeys whose attestation this server checked.
    case attestationDemanded
    /// A network asked too often.
    case tooManyRequests(retryAfterSeconds: Int64)
}
