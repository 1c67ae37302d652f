#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import KeyturnBase
internal import KeyturnJose
public import KeyturnWire

/// A service that takes tokens, as it describes itself to clients that know nothing of it yet (RFC 9728).
///
/// Serve ``document`` as `application/json` at ``address``, and name that address in every challenge.
public struct ProtectedResource: Sendable {
    /// What it says about itself; change what differs.
    public var metadata: ProtectedResourceMetadata

    /// A resource that takes bearer tokens in the header, and bound ones.
    ///
    /// - Parameters:
    ///   - resource: Its identifier: an `https` URL without a fragment, exactly as tokens name it (`aud`).
    ///   - authorizationServers: The issuers whose tokens it takes.
    ///   - scopes: What clients may ask for.
    ///   - takesDPoP: Whether it takes tokens that are bound to a key (RFC 9449).
    public init(resource: String, authorizationServers: [String], scopes: [String] = [], takesDPoP: Bool = true) {
        metadata = ProtectedResourceMetadata(resource: resource, authorizationServers: authorizationServers)
        metadata.scopesSupported = scopes.isEmpty ? nil : scopes
        metadata.bearerMethodsSupported = ["header"]
        metadata.dpopSigningAlgValuesSupported = takesDPoP ? UnverifiedDPoPProof.algorithms.map(\.rawValue) : nil
    }

    /// Where clients look for the document: the well-known name between host and path (RFC 9728 §3.1).
    public var address: String {
        guard let parts = URIParts(metadata.resource), let origin = parts.origin else { return metadata.resource }
        // A path that is a slash alone is no path.
        return origin + Self.wellKnown + (parts.path == "/" ? "" : parts.path) + (parts.query.map { "?\($0)" } ?? "")
    }

    /// The document: JSON.
    public var document: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(metadata)).map { Array($0) } ?? []
    }

    /// The name below which resources describe themselves.
    public static let wellKnown = "/.well-known/oauth-protected-resource"
}
