internal import Foundation
public import KeyturnBase
public import Model
public import SignIn

/// Signs users in at identity providers of SAML 2.0, as their service provider: requests by redirect, responses by form
/// (Profiles §4.1, Web Browser SSO).
public struct SAMLProtocol: ConnectionProtocol {
    let issuer: String
    let http: any OutgoingHTTP
    private let key: ServiceKey?
    private let ambient: Ambient

    /// What the response is judged by.
    private struct Kept: Codable {
        let requestID: String
    }

    /// - Parameters:
    ///   - issuer: this server's; every address and entityID of a connection is below it.
    ///   - http: reads the metadata of providers.
    ///   - key: signs requests and opens encrypted assertions; `nil`: neither.
    ///   - ambient: the time and random bytes.
    public init(issuer: String, http: any OutgoingHTTP, key: ServiceKey?, ambient: Ambient) {
        self.issuer = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        self.http = http
        self.key = key
        self.ambient = ambient
    }

    /// Where responses of a connection are sent.
    public static func consumer(of connection: String, below issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/saml/\(connection)/acs"
    }

    /// Our entityID for a connection: the address of its metadata.
    public static func entityID(of connection: String, below issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/saml/\(connection)/metadata"
    }

    public func begin(_ start: ConnectionStart, at connection: Connection) async throws(ConnectionProblem)
        -> ConnectionDeparture
    {
        guard case .saml(let settings) = connection.settings else {
            throw ConnectionProblem(.misconfigured, code: "kind")
        }
        let request = AuthnRequest(
            id: "_" + ambient.randomToken(byteCount: 24), issuedAt: ambient.now(), destination: settings.signOnURL,
            consumer: Self.consumer(of: connection.id, below: issuer),
            issuer: Self.entityID(of: connection.id, below: issuer), nameIDFormat: settings.nameIDFormat,
            isForced: start.isForced)
        guard let kept = try? JSONEncoder().encode(Kept(requestID: request.id)) else {
            preconditionFailure("a state is plain values")
        }
        do throws(SAMLFault) {
            let address = try RedirectBinding.address(
                settings.signOnURL, request: request.bytes, relayState: start.handle,
                key: settings.signsRequests ? key : nil)
            return ConnectionDeparture(way: .redirect(address), protocolState: String(decoding: kept, as: UTF8.self))
        } catch {
            throw ConnectionProblem(error)
        }
    }

    public func finish(_ answer: [(name: String, value: String)], _ state: FederationState, at connection: Connection)
        async throws(ConnectionProblem) -> FederatedProfile
    {
        guard let kept = try? JSONDecoder().decode(Kept.self, from: Data(state.protocolState.utf8)) else {
            throw ConnectionProblem(.refused, code: "saml_response")
        }
        return try profile(
            in: answer,
            asked: ResponseReader.Asked(id: kept.requestID, at: state.startedAt, isForced: state.isForced),
            at: connection)
    }

    public func unsolicited(_ answer: [(name: String, value: String)], at connection: Connection)
        async throws(ConnectionProblem) -> FederatedProfile
    {
        guard case .saml(let settings) = connection.settings, settings.allowsUnsolicited else {
            throw ConnectionProblem(.refused, code: "unsolicited")
        }
        return try profile(in: answer, asked: nil, at: connection)
    }

    private func profile(
        in answer: [(name: String, value: String)], asked: ResponseReader.Asked?, at connection: Connection
    ) throws(ConnectionProblem) -> FederatedProfile {
        let responses = answer.filter { $0.name == "SAMLResponse" }
        guard case .saml(let settings) = connection.settings, responses.count == 1 else {
            throw ConnectionProblem(.refused, code: "saml_response")
        }
        let reader = ResponseReader(
            connection: connection, settings: settings, audience: Self.entityID(of: connection.id, below: issuer),
            consumer: Self.consumer(of: connection.id, below: issuer), decryptionKeys: key.map { [$0.pem] } ?? [])
        do throws(SAMLFault) {
            return try reader.profile(from: responses[0].value, asked: asked, now: ambient.now())
        } catch {
            throw ConnectionProblem(error)
        }
    }

    public func metadata(of connection: Connection) -> [UInt8]? {
        guard case .saml(let settings) = connection.settings else { return nil }
        return ServiceMetadata(
            entityID: Self.entityID(of: connection.id, below: issuer),
            consumer: Self.consumer(of: connection.id, below: issuer), key: key,
            signsRequests: settings.signsRequests && key != nil
        ).bytes
    }
}

extension ConnectionProblem {
    init(_ fault: SAMLFault) {
        let kind: Kind =
            switch fault.kind {
            case .denied: .denied
            case .unavailable: .unavailable
            case .misconfigured: .misconfigured
            case .refused: .refused
            }
        self.init(kind, code: fault.code)
    }
}
