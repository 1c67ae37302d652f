public import KeyturnBase
public import KeyturnWire
public import Model
internal import Authority
internal import OAuth

/// A sign-in on the methods' wire that lacks a second factor, between its two calls. It is sealed: there is no row for it.
public struct PendingSignIn: Codable, Hashable, Sendable {
    let userID: String
    /// The user's ``User/epoch`` at the first factor: a sign-out everywhere in between wins.
    let epoch: Int64
    /// How the user was verified so far.
    let time: UnixTime
    let methods: [String]
    let contextClass: String
    let tenantID: String?
    /// When the user authenticated at the provider that vouched; `nil`: none did, or it does not say.
    let authenticatedAt: UnixTime?
    /// The identity at that provider; `nil`: none vouched, or an earlier release did not keep it.
    let federated: FederatedIdentity.Key?
    /// The address that a code or a link proved; `nil`: none was, or an earlier release did not keep it.
    let address: String?
    let signals: Set<RiskSignal>
    /// Whether this is the user's first sign-in.
    let isFirst: Bool
    /// What was asked for, as JSON.
    let options: String
    /// The session of the wire that the sign-in continues; `nil`: none.
    let continued: String?
    /// Whether the user has no second factor yet, and sets one up.
    let setsUp: Bool
    let expiresAt: UnixTime
    /// Makes each reference different, and is spent with the session.
    let id: String

    /// Whether it is this user's.
    public func isOf(_ user: UserID) -> Bool { user.rawValue == userID }

    package var facts: AuthenticationFacts {
        AuthenticationFacts(time: time, methods: methods, contextClass: contextClass, tenantID: tenantID)
    }

    /// In which the user sets up an authenticator.
    package var authenticatorSession: StoredTOTP.Session { .signIn("reference." + id) }

    fileprivate var grounds: SignInGrounds {
        SignInGrounds(addresses: [address].compactMap(\.self), identity: federated, since: time)
    }
}

/// Seals sign-ins that wait for a second factor into what clients send back.
struct PendingSignInSeal: Sendable {
    private let seal: TransactionSeal
    private static let kind = "pending-sign-in"

    init(_ seal: TransactionSeal) {
        self.seal = seal
    }

    func close(_ pending: PendingSignIn) -> Secret { Secret(seal.close(pending, kind: Self.kind)) }

    func open(_ text: Secret) -> PendingSignIn? {
        // A refresh token of this server has dots, and nothing has to be opened for it.
        guard !text.exposed().contains(".") else { return nil }
        return seal.open(text.exposed(), as: PendingSignIn.self, kind: Self.kind)
    }
}

extension DescopeSessions {
    /// Refuses a session that lacks a second factor, with what the second factor goes on with.
    ///
    /// - Parameter continued: the session of the wire that the sign-in continues.
    /// - Throws: ``MethodProblem`` with what is missing.
    func requireSecondFactor(
        _ account: Account, _ facts: AuthenticationFacts, _ proof: ProvenIdentity, _ options: LoginOptions,
        continuing continued: GrantID?, isMoved: Bool
    ) throws(MethodProblem) {
        guard let step = secondFactor.missing(account, facts, on: .wire), !isMoved || step == .secondFactorSetup else {
            return
        }
        let pending = PendingSignIn(
            userID: account.user.id.rawValue, epoch: account.user.epoch, time: facts.time, methods: facts.methods,
            contextClass: facts.contextClass, tenantID: facts.tenantID, authenticatedAt: proof.authenticatedAt,
            federated: proof.federated, address: proof.provedAddress, signals: proof.signals, isFirst: proof.isFirst,
            options: String(decoding: options.json.serialized, as: UTF8.self), continued: continued?.text,
            setsUp: step == .secondFactorSetup, expiresAt: ambient.now() + Limits.secondFactorSeconds,
            id: ambient.randomToken(byteCount: 16))
        throw .missing(step, Self.sentence(step)).waiting(for: pendingSeal.close(pending))
    }

    private static func sentence(_ step: MissingStep) -> String {
        step == .secondFactor
            ? "The account has a second factor: go on with totp/verify or webauthn/signin, with pendingRef as the bearer's "
                + "second part"
            : "The account needs a second factor: go on with totp/update and totp/verify, with pendingRef as the bearer's "
                + "second part"
    }

    /// The sign-in that a reference continues; `nil`: it is none.
    ///
    /// - Throws: ``MethodProblem/pendingOver`` for one that is too old.
    public func pending(_ reference: Secret) throws(MethodProblem) -> PendingSignIn? {
        guard let pending = pendingSeal.open(reference) else { return nil }
        guard ambient.now() < pending.expiresAt else { throw .pendingOver }
        return pending
    }

    /// The user of a sign-in that waits, if nothing was revoked since, and what it rests on still stands.
    ///
    /// - Throws: ``MethodProblem/pendingOver``; ``StoreError``.
    public func account(of pending: PendingSignIn) async throws -> Account {
        guard let account = try await stores.users.account(UserID(rawValue: pending.userID)),
            account.user.status == .active
        else { throw MethodProblem.pendingOver }
        _ = try await continued(by: pending, account)
        return account
    }

    /// Asks whether a sign-in that waits may go on for its user.
    ///
    /// - Returns: the session of the wire that it continues; `nil`: none.
    /// - Throws: ``MethodProblem/pendingOver``; ``StoreError``.
    private func continued(by pending: PendingSignIn, _ account: Account) async throws -> PresentedRefresh? {
        guard account.user.epoch == pending.epoch, ambient.now() < pending.expiresAt,
            try await pending.grounds.stand(for: account, in: stores, connections, at: ambient.now())
        else { throw MethodProblem.pendingOver }
        guard let id = pending.continued.flatMap(GrantID.init(text:)) else { return nil }
        guard let live = try await stores.grants.live(id, at: ambient.now()), live.grant.userID == account.user.id
        else { throw MethodProblem.pendingOver }
        return PresentedRefresh(account: account, grant: live.grant, isLate: false)
    }

    /// The account of a user who must set up a second factor before the session begins.
    ///
    /// - Throws: ``MethodProblem/pendingOver``; ``MethodProblem`` if the user has one; ``StoreError``.
    public func accountToSetUp(of pending: PendingSignIn) async throws -> Account {
        let account = try await account(of: pending)
        guard pending.setsUp, !account.hasStrongFactor else {
            throw MethodProblem.missing(.secondFactor, Self.sentence(.secondFactor))
        }
        return account
    }

    /// Opens the session of a sign-in that a second factor completes. The reference counts once.
    ///
    /// - Parameter proof: the second factor, of the same user.
    /// - Throws: ``MethodProblem``, or ``StoreError``.
    public func complete(
        _ pending: PendingSignIn, by proof: ProvenIdentity, from address: NetworkAddress?, device: String? = nil
    ) async throws -> SessionAnswer {
        guard proof.account.user.id.rawValue == pending.userID else {
            throw MethodProblem.invalidArguments.saying("The pendingRef belongs to another user")
        }
        let presented = try await continued(by: pending, proof.account)
        let options = (try? LoginOptions(MethodBody(parsing: Array(pending.options.utf8)))) ?? .none
        let mark = ReplayMark(
            of: Array("pending-sign-in:\(pending.id)".utf8), expiresAt: pending.expiresAt + Limits.spentMarginSeconds)
        guard try await stores.spent.spend(mark) else { throw MethodProblem.pendingOver }
        var whole = ProvenIdentity(
            account: proof.account, method: proof.method, isFirst: pending.isFirst,
            isOfTwoFactors: proof.isOfTwoFactors, tenantID: proof.tenantID,
            signals: pending.signals.union(proof.signals))
        whole.authenticatedAt = pending.authenticatedAt
        (whole.federated, whole.provedAddress) = (pending.federated, pending.address)
        return try await open(
            whole, options: options, presented: presented, replacing: presented, after: pending.facts, from: address,
            device: device)
    }
}

extension MethodProblem {
    /// The sign-in that waited for a second factor is over: begin again.
    public static let pendingOver = MethodProblem.tokenRevoked.saying(
        "The pendingRef was used, is too old, or the account was changed meanwhile: sign in again")
}
