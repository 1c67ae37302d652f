internal import Keyturn
internal import KeyturnBase
internal import KeyturnVerify

/// What a server says of itself at a given address: explains why a sign-in there did not work, and names its project.
struct PublishedMetadata: Sendable {
    let issuer: String
    /// `nil` for servers that have no project.
    let projectID: String?

    /// - Throws: `transport.unavailable`; `protocol.violation` if there is no such document.
    static func read(
        at address: String, transport: some HTTPTransport = NetworkTransport()
    ) async throws(AuthError) -> PublishedMetadata {
        let base = address.hasSuffix("/") ? String(address.dropLast()) : address
        let response = try await transport.send(
            HTTPRequest(
                url: base + "/.well-known/openid-configuration", headers: [("Accept", "application/json")]))
        guard response.status == 200, let document = try? JSONValue(parsing: response.body),
            let issuer = document["issuer"]?.stringValue
        else { throw AuthError(.protocolViolation, "\(base) publishes no metadata of an OpenID provider") }
        return PublishedMetadata(issuer: issuer, projectID: document["keyturn_project_id"]?.stringValue)
    }

    /// The project of the server with this issuer.
    ///
    /// - Throws: ``CommandFailure`` that says where to find it.
    static func project(
        of issuer: String, _ advice: Advice = .plain, transport: NetworkTransport = NetworkTransport()
    ) async throws -> String {
        let published = try await ClientFailure.explained(at: issuer, advice, transport: transport) {
            try await read(at: issuer, transport: transport)
        }
        guard published.issuer == issuer else { throw otherIssuer(published.issuer, at: issuer) }
        guard let project = published.projectID else {
            throw CommandFailure.refused(
                "which project? \(issuer) does not say. Pass --project ID, or set \(ServiceChoice.projectVariable): "
                    + "`keyturn config check` on the server prints it.")
        }
        return project
    }

    /// Why something failed at `address`, if it is that the server there names itself otherwise.
    static func otherIssuer(
        after error: AuthError, at address: String, transport: NetworkTransport = NetworkTransport()
    ) async -> CommandFailure? {
        guard error.code == .protocolViolation, let published = try? await read(at: address, transport: transport),
            published.issuer != address
        else { return nil }
        return otherIssuer(published.issuer, at: address)
    }

    private static func otherIssuer(_ name: String, at address: String) -> CommandFailure {
        .refused(
            "the server at \(address) names itself \(Printable.text(name)). "
                + "Pass that: --issuer \(Printable.text(name))")
    }
}
