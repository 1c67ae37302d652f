#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
public import KeyturnBase
public import KeyturnWire

/// Reads what an issuer says about itself (OpenID Connect Discovery §4, RFC 8414 §3).
public struct Discovery: Sendable {
    private let transport: any HTTPTransport

    /// - Parameter transport: Carries the requests.
    public init(transport: any HTTPTransport) {
        self.transport = transport
    }

    /// The metadata of `issuer`.
    ///
    /// The document must name the same issuer, character by character (§4.3): otherwise one server could speak for
    /// another.
    ///
    /// - Parameters:
    ///   - issuer: Whose.
    ///   - isRealm: Whether `issuer` may also be the address of a realm (`…/auth/realms/NAME`) of a server that has one
    ///     issuer for all of them: the beginning of that address. The document's `issuer` is then what
    ///     tokens must name.
    ///   - timeoutSeconds: 1…600.
    /// - Throws: `transport.unavailable`; `protocol.violation` if the document is not one, or names another issuer.
    public func metadata(
        of issuer: String, orItsRealm isRealm: Bool = false, timeoutSeconds: Int = VerifyLimits.requestSeconds
    ) async throws(AuthError) -> ServerMetadata {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let request = HTTPRequest(
            url: base + "/.well-known/openid-configuration", headers: [("Accept", "application/json")],
            timeoutSeconds: timeoutSeconds)
        let response = try await transport.document(request, kind: "metadata")
        // Read strictly first: a decoder would accept an object that names two issuers.
        guard (try? JSONValue(parsing: response.body)) != nil,
            let metadata = try? JSONDecoder().decode(ServerMetadata.self, from: Data(response.body))
        else { throw AuthError(.protocolViolation, "the issuer's metadata cannot be read") }
        guard metadata.issuer == issuer || isRealm && Self.isRealm(issuer, of: metadata.issuer) else {
            throw AuthError(.protocolViolation, "the metadata names another issuer than the one asked")
        }
        return metadata
    }

    /// Whether `address` is that of one realm of `issuer`, character by character.
    private static func isRealm(_ address: String, of issuer: String) -> Bool {
        let start = issuer + KeyServicePaths.realms
        let name = address.dropFirst(start.count)
        return address.hasPrefix(start) && !name.isEmpty && !name.contains("/")
    }
}

extension HTTPTransport {
    /// A public document: anything but 200 is a failure that may pass.
    func document(_ request: HTTPRequest, kind: String) async throws(AuthError) -> HTTPResponse {
        let response = try await send(request)
        guard !response.isIntercepted else { throw .intercepted(.init(status: response.status)) }
        guard response.status == 200 else {
            throw AuthError(
                .unavailable, "the issuer's \(kind) could not be fetched",
                server: AuthError.ServerAnswer(status: response.status))
        }
        return response
    }
}
