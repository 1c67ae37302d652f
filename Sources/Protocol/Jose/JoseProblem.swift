/// Why a key or a token was refused. The reason is for developers; whoever sent it learns only that it was.
public struct JoseProblem: Error, Hashable, Sendable {
    /// The rule that was broken.
    public enum Rule: String, Hashable, Sendable {
        /// Not three parts of canonical base64url, or not the JSON that must be inside.
        case malformed
        case tooLarge
        /// A header member that is missing, of the wrong type, or not to be ignored (`crit`, `b64`).
        case header
        case unsupportedAlgorithm
        /// The token names another algorithm than the key is for.
        case algorithmMismatch
        /// Not a key, or not one that may be used for this.
        case invalidKey
        /// A key that is too easy to break.
        case weakKey
        case signature
        /// Well made, but for another request, access token or key than this one.
        case mismatch
    }

    public let rule: Rule
    public let detail: String

    public init(_ rule: Rule, _ detail: String) {
        self.rule = rule
        self.detail = detail
    }
}
