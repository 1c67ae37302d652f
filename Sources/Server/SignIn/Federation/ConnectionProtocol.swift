public import KeyturnBase
public import Model

/// What a kind of connection does: it sends the user to the provider, and judges what comes back.
public protocol ConnectionProtocol: Sendable {
    /// The request with which the user leaves.
    ///
    /// - Throws: ``ConnectionProblem``.
    func begin(_ start: ConnectionStart, at connection: Connection) async throws(ConnectionProblem)
        -> ConnectionDeparture

    /// Judges the provider's answer.
    ///
    /// - Parameters:
    ///   - answer: the fields of the answer, of the query or of the form.
    ///   - state: as it was kept by the departure.
    /// - Throws: ``ConnectionProblem``.
    func finish(_ answer: [(name: String, value: String)], _ state: FederationState, at connection: Connection)
        async throws(ConnectionProblem) -> FederatedProfile

    /// Judges an answer that no request of ours asked for: the provider began the sign-in.
    ///
    /// - Throws: ``ConnectionProblem``, of the code `unsolicited` if the connection does not allow it.
    func unsolicited(_ answer: [(name: String, value: String)], at connection: Connection)
        async throws(ConnectionProblem) -> FederatedProfile

    /// What the provider's administrator reads to set the connection up; `nil`: this kind has no such document.
    func metadata(of connection: Connection) -> [UInt8]?

    /// Judges the ID token that an app got from the provider's own sheet or library.
    ///
    /// - Throws: ``ConnectionProblem``.
    func verify(_ token: NativeIDToken, at connection: Connection) async throws(ConnectionProblem) -> FederatedProfile

    /// Fresh tokens by the refresh token that is kept.
    ///
    /// - Throws: ``ConnectionProblem`` with the code `invalid_grant` if the provider has withdrawn it.
    func refresh(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem) -> ProviderTokens

    /// Has tokens revoked at the provider.
    ///
    /// - Throws: ``ConnectionProblem``, of the kind `unavailable` if a later request may succeed.
    func revoke(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem)

    /// Judges a notice of the provider that its user signed out.
    ///
    /// - Throws: ``ConnectionProblem``.
    func logout(_ token: String, at connection: Connection) async throws(ConnectionProblem) -> ProviderLogout

    /// Sign-outs through the browser; `nil`: this kind has none.
    var singleLogout: (any SingleLogout)? { get }

    /// What is wrong with a connection of this kind, beside what ``ConnectionRules`` finds.
    func mistakes(in connection: Connection) -> [ConnectionMistake]

    /// What the operator enters at the provider, a line each.
    func entries(for connection: Connection) -> [String]

    /// The issuer of a connection's provider, as it names itself; `nil`: it has none.
    func issuer(of connection: Connection) -> String?

    /// The connection with what its provider publishes, before it is saved: a document that the settings name.
    ///
    /// - Throws: ``ConnectionProblem`` if it cannot be read.
    func completed(_ connection: Connection) async throws(ConnectionProblem) -> Connection

    /// The connection with what its provider publishes now, if that changed; otherwise as it was, due later.
    ///
    /// - Throws: ``ConnectionProblem`` if it cannot be read, or may not be believed.
    func renewed(_ connection: Connection) async throws(ConnectionProblem) -> Connection

    /// The certificates by which a provider's word is believed; empty for kinds without any.
    func certificates(of connection: Connection) -> [CertificateSummary]
}

/// What an operator must know about a certificate.
public struct CertificateSummary: Hashable, Sendable {
    /// The SHA-256 of the certificate, in hexadecimal digits.
    public let fingerprint: String
    public let expiresAt: UnixTime

    public init(fingerprint: String, expiresAt: UnixTime) {
        self.fingerprint = fingerprint
        self.expiresAt = expiresAt
    }
}

extension ConnectionProtocol {
    /// Most kinds know only sign-ins that begin here.
    public func unsolicited(_ answer: [(name: String, value: String)], at connection: Connection)
        async throws(ConnectionProblem) -> FederatedProfile
    {
        throw ConnectionProblem(.refused, code: "unsolicited")
    }

    public func metadata(of connection: Connection) -> [UInt8]? { nil }

    public func renewed(_ connection: Connection) async throws(ConnectionProblem) -> Connection { connection }

    public func certificates(of connection: Connection) -> [CertificateSummary] { [] }

    /// Most kinds have no tokens of this form.
    public func verify(_ token: NativeIDToken, at connection: Connection) async throws(ConnectionProblem)
        -> FederatedProfile
    {
        throw ConnectionProblem(.misconfigured, code: "native")
    }

    /// Most kinds have no tokens.
    public func refresh(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem)
        -> ProviderTokens
    {
        throw ConnectionProblem(.misconfigured, code: "tokens")
    }

    public func revoke(_ tokens: ProviderTokens, at connection: Connection) async throws(ConnectionProblem) {
        throw ConnectionProblem(.misconfigured, code: "tokens")
    }

    /// Most kinds have other notices, or none.
    public func logout(_ token: String, at connection: Connection) async throws(ConnectionProblem) -> ProviderLogout {
        throw ConnectionProblem(.misconfigured, code: "logout")
    }

    public var singleLogout: (any SingleLogout)? { nil }
    public func mistakes(in connection: Connection) -> [ConnectionMistake] { [] }
    public func entries(for connection: Connection) -> [String] { [] }
    public func issuer(of connection: Connection) -> String? { nil }
    public func completed(_ connection: Connection) async throws(ConnectionProblem) -> Connection { connection }
}

/// What a sign-in at a provider begins with.
public struct ConnectionStart: Sendable {
    /// Comes back with the answer: `state` of OAuth, RelayState of SAML.
    public let handle: String
    /// The name that the user typed; `nil`: none.
    public var loginHint: String?
    /// Whether the provider must ask the user again.
    public var isForced: Bool
    /// How long ago the user may have authenticated at the provider, in seconds; `nil`: any time.
    public var maxAge: Int64?

    public init(handle: String, loginHint: String? = nil, isForced: Bool = false, maxAge: Int64? = nil) {
        self.handle = handle
        self.loginHint = loginHint
        self.isForced = isForced
        self.maxAge = maxAge
    }
}

/// What an app got from the provider's own sheet or library.
public struct NativeIDToken: Sendable {
    public let idToken: Secret
    /// Made for this sign-in, and in the token unchanged.
    public let nonce: String
    /// `given_name`, `middle_name`, `family_name` as the sheet told them: unsigned, for display alone.
    public let names: [String: String]

    public init(idToken: Secret, nonce: String, names: [String: String]) {
        self.idToken = idToken
        self.nonce = nonce
        self.names = names
    }
}

/// A provider's notice that its user signed out: of one session of the provider, or of all.
public struct ProviderLogout: Hashable, Sendable {
    public let issuer: String
    /// The user; `nil`: only the session is named.
    public let subject: String?
    /// The provider's session; `nil`: every one of the user.
    public let session: String?
    /// The notice's own identifier: it counts once.
    public let id: String
    public let expiresAt: UnixTime

    public init(issuer: String, subject: String?, session: String?, id: String, expiresAt: UnixTime) {
        self.issuer = issuer
        self.subject = subject
        self.session = session
        self.id = id
        self.expiresAt = expiresAt
    }
}

/// How the user leaves for a provider.
public struct ConnectionDeparture: Sendable {
    /// A redirect, or a form that the browser sends by itself.
    public enum Way: Sendable {
        case redirect(String)
        case post(action: String, fields: [(name: String, value: String)])
    }

    public let way: Way
    /// What ``ConnectionProtocol/finish(_:_:at:)`` must know.
    public let protocolState: String

    public init(way: Way, protocolState: String) {
        self.way = way
        self.protocolState = protocolState
    }
}

/// Why a sign-in at a provider came to nothing.
public struct ConnectionProblem: Error, Hashable, Sendable {
    /// What the user is told.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The user declined at the provider.
        case cancelled
        /// The provider refused the user.
        case denied
        /// The provider does not answer, or not in time: later it may.
        case unavailable
        /// The connection is set up wrongly, here or there.
        case misconfigured
        /// The answer did not pass a check.
        case refused
    }

    /// The code of an answer that was not judged, because too many wait: the same answer may be sent again.
    public static let busy = "busy"

    public let kind: Kind
    /// A stable word for the audit log.
    public let code: String

    public init(_ kind: Kind, code: String) {
        self.kind = kind
        self.code = code
    }
}
