/// Why a metadata blob was refused. The one that was accepted before stays in use.
public struct MetadataProblem: Error, Hashable, Sendable {
    /// The rule that was broken.
    public enum Rule: String, CaseIterable, Hashable, Sendable {
        /// Not a signed blob of metadata, or not of reasonable size.
        case malformed
        case unsupportedAlgorithm
        /// The certificates of the blob lead to no root that was given.
        case untrusted
        /// One of those certificates was revoked.
        case revoked
        case signature
        /// An older blob than the one that was accepted before.
        case rollback
        /// `nextUpdate` is over: newer blobs are held back, or fetching has stopped.
        case expired
    }

    public let rule: Rule
    public let detail: String

    init(_ rule: Rule, _ detail: String) {
        self.rule = rule
        self.detail = detail
    }
}
