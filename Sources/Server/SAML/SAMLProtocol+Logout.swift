internal import Foundation
internal import KeyturnBase
public import Model
public import SignIn

/// Single logout through the browser (Profiles §4.4). It needs our key: every message of it is signed.
extension SAMLProtocol: SingleLogout {
    private static let requestSeconds: Int64 = 300

    public var singleLogout: (any SingleLogout)? { key == nil ? nil : self }

    /// Where messages of single logout of a connection are sent.
    public static func logoutService(of connection: String, below issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/saml/\(connection)/slo"
    }

    public func leave(_ origin: FederatedOrigin, handle: String, at connection: Connection)
        throws(ConnectionProblem) -> ConnectionDeparture?
    {
        guard case .saml(let settings) = connection.settings, let address = settings.logoutURL,
            origin.key.issuer == settings.entityID, let name = origin.providerName.flatMap(NameIdentifier.init)
        else { return nil }
        let head = head(to: address, at: connection)
        let request = LogoutRequestMessage(
            head: head, name: name, sessionIndex: origin.providerSession,
            expiresAt: head.issuedAt + Self.requestSeconds)
        return ConnectionDeparture(
            way: try way(
                "SAMLRequest", request.bytes, to: address, settings.logoutBinding ?? .redirect, relayState: handle,
                isSigned: true),
            protocolState: head.id)
    }

    public func read(_ message: LogoutMessage, at connection: Connection) async throws(ConnectionProblem)
        -> LogoutArrival
    {
        // What cannot be answered is not begun.
        guard case .saml(let settings) = connection.settings, settings.logoutURL != nil, key != nil else {
            throw ConnectionProblem(.misconfigured, code: "single_logout")
        }
        let reader = LogoutReader(
            settings: settings, audience: Self.entityID(of: connection.id, below: issuer),
            service: Self.logoutService(of: connection.id, below: issuer), now: ambient.now())
        return try await judged { () throws(SAMLFault) in try reader.read(message) }
    }

    public func answer(_ request: LogoutArrival.Request, at connection: Connection) throws(ConnectionProblem)
        -> ConnectionDeparture.Way
    {
        guard case .saml(let settings) = connection.settings,
            let address = settings.logoutResponseURL ?? settings.logoutURL
        else { throw ConnectionProblem(.misconfigured, code: "single_logout") }
        let response = LogoutResponseMessage(head: head(to: address, at: connection), inResponseTo: request.id)
        return try way(
            "SAMLResponse", response.bytes, to: address, settings.logoutBinding ?? .redirect,
            relayState: request.relayState, isSigned: true)
    }

    private func head(to address: String, at connection: Connection) -> LogoutHead {
        LogoutHead(
            id: "_" + ambient.randomToken(byteCount: 24), issuedAt: ambient.now(), destination: address,
            issuer: Self.entityID(of: connection.id, below: issuer))
    }
}
