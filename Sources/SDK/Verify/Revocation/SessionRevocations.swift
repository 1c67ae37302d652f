public import KeyturnBase
internal import KeyturnWire

/// Sessions that the identity provider has said to be over (OpenID Connect Back-Channel Logout 1.0): the access tokens
/// that they had are refused from then on, not only when they expire.
///
/// A notice refuses tokens of its session that were issued until its own `iat`, the same second included, and none that
/// were issued later. So a session with `offline_access`, which outlives a sign-out in the browser (§2.7), goes on with
/// its next token: a client that gets 401 renews once.
///
/// Register an address of this service as the client's `backchannel_logout_uri`, hand what arrives there to
/// ``receive(_:verifiedBy:at:)``, and give the same value to the verifiers:
///
/// ```swift
/// let keys = KeySet(issuer: issuer)
/// let revocations = SessionRevocations()
/// let notices = LogoutTokenVerifier(issuer: issuer, clientID: "app", keys: keys)
/// let verifier = TokenVerifier(issuer: issuer, audience: api, keys: keys, revocations: revocations)
/// // In the route of the address:
/// try await revocations.receive(form["logout_token"], verifiedBy: notices, at: ambient.now())   // then answer 200
/// ```
///
/// In memory, for one process: where several serve, pass what ``receive(_:verifiedBy:at:)`` returns on to the others,
/// which ``apply(_:at:)`` it. A process that starts knows nothing of earlier notices; tokens from then end by themselves.
public final class SessionRevocations: Sendable {
    let tokenSecondsMax: Int64
    private let entriesMax: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - tokenSecondsMax: How long access tokens live at most, in seconds: so long a revocation is remembered, and a
    ///     token that lives longer is `configuration.invalid`. 1…86 400.
    ///   - entriesMax: How many sessions and users are remembered, at least 1; about 150 bytes each. One more, and every
    ///     token that was issued before is refused, until its client renews it.
    public init(
        tokenSecondsMax: Int64 = 3_600, entriesMax: Int = VerifyLimits.rememberedRevocations
    ) {
        precondition((1...86_400).contains(tokenSecondsMax), "access tokens live 1...86400 seconds")
        precondition(entriesMax > 0, "a memory needs room")
        self.tokenSecondsMax = tokenSecondsMax
        self.entriesMax = entriesMax
    }

    /// Refuses tokens whose session is over.
    ///
    /// - Parameters:
    ///   - sessionID: Which one; `nil`: all of the user's.
    ///   - subject: Whose.
    ///   - issuedBy: Tokens that were issued later stay good. Times are whole seconds: a token of this very second is
    ///     refused, because it may be the older one.
    ///   - now: The moment from which it is remembered.
    func refuse(sessionID: String?, subject: String?, issuedBy: UnixTime, at now: UnixTime) {
        let until = now + tokenSecondsMax
        state.withLock { state in
            state.forget(until: now, unlessBelow: entriesMax)
            guard state.count + 2 <= entriesMax else { return state.refuseEverything(before: issuedBy, until) }
            let bound = State.Bound(issuedBy: issuedBy, until: until)
            if let sessionID { state.sessions[sessionID] = bound.later(state.sessions[sessionID]) }
            guard let subject else { return }
            if sessionID == nil {
                state.users[subject] = bound.later(state.users[subject])
            } else {
                state.sessionless[subject] = bound.later(state.sessionless[subject])
            }
        }
    }

    /// - Throws: `token.revoked` if the session of a token with these claims is over.
    func check(
        subject: String?, sessionID: String?, issuedAt: UnixTime?, at now: UnixTime
    ) throws(AuthError) {
        let isRevoked = state.withLock { state in
            state.isRevoked(subject: subject, sessionID: sessionID, issuedAt: issuedAt, at: now)
        }
        guard !isRevoked else { throw AuthError(.tokenRevoked, "the provider said that the session is over") }
    }
}

extension SessionRevocations {
    private struct State: Sendable {
        /// Tokens that were issued until a moment are refused for a while.
        struct Bound: Sendable {
            let issuedBy: UnixTime
            let until: UnixTime

            func later(_ other: Bound?) -> Bound {
                guard let other else { return self }
                return Bound(issuedBy: max(issuedBy, other.issuedBy), until: max(until, other.until))
            }

            func covers(_ issuedAt: UnixTime?, at now: UnixTime) -> Bool {
                now < until && (issuedAt.map { $0 <= issuedBy } ?? true)
            }
        }

        var sessions: [String: Bound] = [:]
        var users: [String: Bound] = [:]
        /// Users whose tokens are covered if they name no session.
        var sessionless: [String: Bound] = [:]
        var everything: Bound?

        var count: Int { sessions.count + users.count + sessionless.count }

        func isRevoked(subject: String?, sessionID: String?, issuedAt: UnixTime?, at now: UnixTime) -> Bool {
            if let everything, everything.covers(issuedAt, at: now) { return true }
            guard count > 0 else { return false }
            if let sessionID, let bound = sessions[sessionID], bound.covers(issuedAt, at: now) { return true }
            guard let subject else { return false }
            if let bound = users[subject], bound.covers(issuedAt, at: now) { return true }
            guard sessionID == nil, let bound = sessionless[subject] else { return false }
            return bound.covers(issuedAt, at: now)
        }

        /// Makes room once there is hardly any.
        mutating func forget(until now: UnixTime, unlessBelow entriesMax: Int) {
            guard count + 2 > entriesMax else { return }
            sessions = sessions.filter { now < $0.value.until }
            users = users.filter { now < $0.value.until }
            sessionless = sessionless.filter { now < $0.value.until }
        }

        /// No room: clients renew tokens that need not have been renewed, and no revoked one is accepted.
        mutating func refuseEverything(before issuedBy: UnixTime, _ until: UnixTime) {
            everything = Bound(issuedBy: issuedBy, until: until).later(everything)
            (sessions, users, sessionless) = ([:], [:], [:])
        }
    }
}

extension AuthError.Code {
    /// The identity provider said that the token's session is over, after it had issued the token.
    public static let tokenRevoked = Self(rawValue: "token.revoked")
}
