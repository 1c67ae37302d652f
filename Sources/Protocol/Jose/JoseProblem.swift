/// Why a key or a token was refused. The reason is for developers; the sender learns only that it was refused.
public struct JoseProblem: Error, Hashable, Sendable {
    /// The rule that was broken.
    public enum Rule: String, Hashable, Sendable {
        /// Not three parts of canonical base64url, or not the JSON that must be inside.
        case malformed
        /// Longer than the bound for tokens or keys.
        case tooLarge
        /// A header member that is missing, of the wrong type, or not to be ignored (`crit`, `b64`).
        case header
        /// The algorithm is none of ``SignatureAlgorithm``.
        case unsupportedAlgorithm
        /// The token names another algorithm than the key is for.
        case algorithmMismatch
        /// Not a key, or not one that may be used for this.
        case invalidKey
        /// A key that is too easy to break.
        case weakKey
        /// The signature is not by this key over these bytes.
        case signature
        /// Well made, but for another request, access token or key than this one.
        case mismatch
    }

    /// The first rule that was broken.
    public let rule: Rule
    /// A sentence for developers, without anything of the token.
    public let detail: String

    /// A refusal; `detail` is a sentence for developers.
    public init(_ rule: Rule, _ detail: String) {
        self.rule = rule
        self.detail = detail
    }
}
