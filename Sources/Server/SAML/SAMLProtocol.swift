internal import Foundation
public import KeyturnBase
public import Model
public import SignIn

/// Signs users in at identity providers of SAML 2.0, as their service provider: requests by redirect, responses by form
/// (Profiles §4.1, Web Browser SSO).
public struct SAMLProtocol: ConnectionProtocol {
    let issuer: String
    let http: any OutgoingHTTP
    let key: ServiceKey?
    let ambient: Ambient
    /// Signatures are verified on threads of their own, so many at once and no more: garbage delays nothing else.
    private let verifications: HashingPool

    /// What the response is judged by.
    private struct Kept: Codable {
        let requestID: String
    }

    /// - Parameters:
    ///   - issuer: this server's; every address and entityID of a connection is below it.
    ///   - http: reads the metadata of providers.
    ///   - key: signs requests and opens encrypted assertions; `nil`: neither.
    ///   - ambient: the time and random bytes.
    ///   - verifications: the threads that verify signatures; `nil`: two, with
    ///     ``Limits/verificationsWaitingMax`` messages that may wait for them.
    public init(
        issuer: String, http: any OutgoingHTTP, key: ServiceKey?, ambient: Ambient, verifications: HashingPool? = nil
    ) {
        self.issuer = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        self.http = http
        self.key = key
        self.ambient = ambient
        self.verifications = verifications ?? HashingPool(threads: 2, backlogMax: Limits.verificationsWaitingMax)
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
        return ConnectionDeparture(
            way: try way(
                "SAMLRequest", request.bytes, to: settings.signOnURL, settings.signOnBinding ?? .redirect,
                relayState: start.handle, isSigned: settings.signsRequests && key != nil),
            protocolState: String(decoding: kept, as: UTF8.self))
    }

    /// A message on its way through the browser.
    func way(
        _ field: String, _ message: [UInt8], to address: String, _ binding: SAMLBinding, relayState: String?,
        isSigned: Bool
    ) throws(ConnectionProblem) -> ConnectionDeparture.Way {
        do throws(SAMLFault) {
            guard !isSigned || key != nil else { throw SAMLFault("own_key", .misconfigured) }
            let signer = isSigned ? key : nil
            switch binding {
            case .redirect:
                return .redirect(
                    try RedirectBinding.address(address, field, message, relayState: relayState, key: signer))
            case .post:
                let bytes = try signer.map { key throws(SAMLFault) in
                    try XMLLibrary.sign(message, .root, privateKey: key.pem)
                }
                return .post(
                    action: address,
                    fields: [(field, Data(bytes ?? message).base64EncodedString())]
                        + (relayState.map { [("RelayState", $0)] } ?? []))
            }
        } catch {
            throw ConnectionProblem(error)
        }
    }

    /// Runs a check on the threads that verify.
    ///
    /// - Throws: ``ConnectionProblem``, of the code ``ConnectionProblem/busy`` if too many wait.
    func judged<Value: Sendable>(_ check: @escaping @Sendable () throws(SAMLFault) -> Value)
        async throws(ConnectionProblem) -> Value
    {
        let result: Result<Value, SAMLFault>
        do throws(HashingPool.Saturated) {
            result = try await verifications.run { Result(catching: check) }
        } catch {
            throw ConnectionProblem(.unavailable, code: ConnectionProblem.busy)
        }
        switch result {
        case .success(let value): return value
        case .failure(let fault): throw ConnectionProblem(fault)
        }
    }

    public func finish(_ answer: [(name: String, value: String)], _ state: FederationState, at connection: Connection)
        async throws(ConnectionProblem) -> FederatedProfile
    {
        guard let kept = try? JSONDecoder().decode(Kept.self, from: Data(state.protocolState.utf8)) else {
            throw ConnectionProblem(.refused, code: "saml_response")
        }
        return try await profile(
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
        return try await profile(in: answer, asked: nil, at: connection)
    }

    private func profile(
        in answer: [(name: String, value: String)], asked: ResponseReader.Asked?, at connection: Connection
    ) async throws(ConnectionProblem) -> FederatedProfile {
        let responses = answer.filter { $0.name == "SAMLResponse" }
        guard case .saml(let settings) = connection.settings, responses.count == 1 else {
            throw ConnectionProblem(.refused, code: "saml_response")
        }
        let reader = ResponseReader(
            connection: connection, settings: settings, audience: Self.entityID(of: connection.id, below: issuer),
            consumer: Self.consumer(of: connection.id, below: issuer), decryptionKeys: key.map { [$0.pem] } ?? [])
        let (text, now) = (responses[0].value, ambient.now())
        return try await judged { () throws(SAMLFault) in try reader.profile(from: text, asked: asked, now: now) }
    }

    public func metadata(of connection: Connection) -> [UInt8]? {
        guard case .saml(let settings) = connection.settings else { return nil }
        return ServiceMetadata(
            entityID: Self.entityID(of: connection.id, below: issuer),
            consumer: Self.consumer(of: connection.id, below: issuer),
            logoutService: Self.logoutService(of: connection.id, below: issuer), key: key,
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
