internal import Foundation
public import KeyturnBase
public import Model

/// A sign-in at a provider that is under way: kept sealed in the database, and bound to the browser that began it.
public struct FederationState: Codable, Hashable, Sendable {
    /// What follows when the provider has vouched for the user.
    public enum Purpose: Codable, Hashable, Sendable {
        /// A page of a sign-in: the sealed authorization transaction.
        case signIn(transaction: String)
        /// A step of a journey asks a user who is signing in to link an identity: the sealed sign-in.
        case step(signIn: String)
        /// The user of this session links the identity; `awaited`: the sealed request of the app that waits for it, if
        /// one does.
        case link(session: String, awaited: String? = nil)
        /// An app's method call: what it asked for, sealed by its wire.
        case method(String)
        /// The user signed in at the provider, and must sign in here so that the identity is linked.
        case pending(FederatedProfileRecord)
        /// The provider's answer came by POST, which brings no cookie: it is looked at after a redirect.
        case posted(String)
        /// The provider began the sign-in, and its answer came by POST: it was judged, and is judged again after a
        /// redirect. No browser is known before.
        case unsolicited(String)
        /// The user signed out here, and left to sign out at the provider: what follows, sealed by its page.
        case signedOut(String)
        /// An operator tries the connection; the result is kept under this handle.
        case trial(String)
        /// What came of a trial, as JSON.
        case tried(String)
    }

    public let connectionID: String
    public let purpose: Purpose
    /// The digest of the mark of the browser.
    public let browser: String
    /// What the connection's protocol remembers: nonce, verifier, the identifier of the request.
    public let protocolState: String
    public let startedAt: UnixTime
    /// Whether the user must be asked again by the provider.
    public let isForced: Bool
    /// How long ago the user may have authenticated at the provider, in seconds; `nil`: any time.
    public let maxAge: Int64?

    public init(
        connectionID: String, purpose: Purpose, browser: String, protocolState: String, startedAt: UnixTime,
        isForced: Bool = false, maxAge: Int64? = nil
    ) {
        self.connectionID = connectionID
        self.purpose = purpose
        self.browser = browser
        self.protocolState = protocolState
        self.startedAt = startedAt
        self.isForced = isForced
        self.maxAge = maxAge
    }
}

/// What is remembered of a profile until its identity is linked.
public struct FederatedProfileRecord: Codable, Hashable, Sendable {
    public let key: FederatedIdentity.Key
    public let email: String?
    public let name: String?
    public let groups: [String]?

    init(_ profile: FederatedProfile, at connection: String) {
        key = profile.key(at: connection)
        email = profile.shownEmail
        name = profile.shownName
        groups = profile.groups.map { Array($0.prefix(1_000)) }
    }

    var profile: FederatedProfile {
        FederatedProfile(
            issuer: key.issuer, subject: key.subject, email: email,
            claims: name.map { ["name": .string($0)] } ?? [:], groups: groups)
    }
}

/// Keeps states under random handles. A handle is worth nothing in another browser.
public struct FederationStates: Sendable {
    private let seal: Seal
    private let store: any FederationStateStore
    private let ambient: Ambient

    init(_ secrets: ServerSecrets, store: any FederationStateStore, ambient: Ambient) {
        seal = Seal(secrets, purpose: .federation, ambient: ambient)
        self.store = store
        self.ambient = ambient
    }

    /// Letters, digits, `-` and `_`: 43 of them, short enough for SAML's RelayState.
    public func makeHandle() -> String { ambient.randomToken(byteCount: 32) }

    /// Keeps a state under a handle.
    public func keep(
        _ state: FederationState, under handle: String, seconds: Int64 = Limits.federationSeconds
    ) async throws(StoreError) {
        guard let text = try? JSONEncoder().encode(state) else { preconditionFailure("a state is plain values") }
        let digest = Self.digest(handle)
        try await store.keep(
            seal.seal(Array(text), context: digest.bytes), under: digest, until: ambient.now() + seconds)
    }

    /// Reads a state; it stays, so that a user can try again after a fault of the provider.
    public func peek(_ handle: String) async throws(StoreError) -> FederationState? {
        guard Self.isHandle(handle) else { return nil }
        let digest = Self.digest(handle)
        return try await store.peek(digest, at: ambient.now()).flatMap { open($0, digest) }
    }

    /// Reads and removes a state: of any number of concurrent calls one gets it.
    public func take(_ handle: String) async throws(StoreError) -> FederationState? {
        guard Self.isHandle(handle) else { return nil }
        let digest = Self.digest(handle)
        return try await store.take(digest, at: ambient.now()).flatMap { open($0, digest) }
    }

    /// The state as a text for an address: nothing is kept.
    package func seal(_ state: FederationState) -> String {
        guard let text = try? JSONEncoder().encode(state) else { preconditionFailure("a state is plain values") }
        return Base64URL.encode(seal.seal(Array(text), context: Self.ticket))
    }

    /// Reads ``seal(_:)``; `nil` if it was changed, or is older than ``Limits/federationSeconds``.
    package func open(_ ticket: String) -> FederationState? {
        guard let sealed = Base64URL.decode(ticket), let text = seal.open(sealed, context: Self.ticket),
            let state = try? JSONDecoder().decode(FederationState.self, from: Data(text)),
            ambient.now() < state.startedAt + Limits.federationSeconds
        else { return nil }
        return state
    }

    private static let ticket = Array("ticket".utf8)

    private func open(_ sealed: [UInt8], _ digest: SecretDigest) -> FederationState? {
        seal.open(sealed, context: digest.bytes).flatMap {
            try? JSONDecoder().decode(FederationState.self, from: Data($0))
        }
    }

    private static func isHandle(_ text: String) -> Bool { (32...64).contains(text.utf8.count) }

    private static func digest(_ handle: String) -> SecretDigest { SecretDigest(of: Secret(handle)) }
}
