internal import Authority
public import KeyturnBase
internal import KeyturnWebAuthn
public import KeyturnWire
public import Model

/// A client's request for a passkey ceremony.
public struct PasskeyAsk: Sendable {
    /// Which ceremony.
    public enum Intent: Hashable, Sendable {
        case signUp, signIn, signUpOrIn
        /// Another passkey for a signed-in user.
        case update
    }

    public let intent: Intent
    public let request: PasskeyStartRequest
    /// The session that another passkey, a step-up or a second factor continues.
    public let presented: PresentedRefresh?
    public let from: NetworkAddress?

    public init(
        _ intent: Intent, _ request: PasskeyStartRequest, presented: PresentedRefresh?, from: NetworkAddress?
    ) {
        self.intent = intent
        self.request = request
        self.presented = presented
        self.from = from
    }
}

/// A ceremony between its two calls, for a page.
public struct PendingCeremony: Sendable {
    /// `{"publicKey": …}`.
    public let options: JSONValue
    /// Whether it creates a credential.
    public let isCreation: Bool
    /// The domain.
    public let relyingParty: String
    /// The name that the client gave; `nil`: any user that the device knows.
    public let name: String?
}

/// Ceremonies in two calls, for apps: the first returns a transaction, which the second presents.
extension UserPasskeys {
    /// Begins a ceremony. Nothing is stored.
    ///
    /// - Throws: ``MethodProblem/userExists`` for a sign-up with the name of a user; ``MethodProblem/signUpClosed``;
    ///   ``MethodProblem/rateLimited(retryAfterSeconds:)``; ``MethodProblem`` for faults of the request itself.
    public func begin(_ ask: PasskeyAsk) async throws -> PasskeyStartAnswer {
        let party = try party(ask.request.origin)
        switch ask.intent {
        case .update: return try await beginUpdate(ask, at: party)
        case .signIn: return try await beginSignIn(ask, at: party)
        case .signUp: return try await beginSignUp(ask, at: party, mayExist: false)
        case .signUpOrIn: return try await beginSignUp(ask, at: party, mayExist: true)
        }
    }

    /// A ceremony that has begun, for a page that performs it.
    ///
    /// - Parameter page: the ceremony's identifier for pages (``PasskeyStartAnswer/page``).
    /// - Returns: `nil` if there is none, or it has timed out.
    public func resume(page: String) async throws(StoreError) -> PendingCeremony? {
        guard let (transaction, challenge) = transactions.open(page: page), core.ambient.now() < transaction.expiresAt,
            let party = parties.party(id: transaction.relyingParty)
        else { return nil }
        let name = transaction.facts.loginID.value
        return PendingCeremony(
            options: try await options(transaction, challenge, at: party), isCreation: transaction.creates,
            relyingParty: party.id, name: name.isEmpty ? nil : name)
    }

    private func beginSignUp(_ ask: PasskeyAsk, at party: RelyingParty, mayExist: Bool) async throws
        -> PasskeyStartAnswer
    {
        let request = ask.request
        // A passkey proves no address.
        let denial = try await core.signUp.denial(.anonymous, proving: nil)
        if let denial, !mayExist { throw MethodProblem(denial) }
        // Charged in any case: the answer shows whether there is such a user, as this API requires.
        try await core.sendLimits.payForSignUp(from: ask.from, at: core.ambient.now())
        let isKnown =
            if mayExist, let loginID = Identifier(loginID: request.loginID) {
                try await core.stores.users.account(loginID) != nil
            } else {
                false
            }
        // Where no account may be opened, an unknown user gets what a sign-in gives an unknown user.
        if isKnown || denial != nil {
            // Knowing an account's name is not enough to add a passkey to it.
            return try await beginSignIn(ask, at: party, isPaid: true)
        }
        let loginID = try VerificationPlanner.newIdentifier(request.loginID)
        try request.details.requireSmall()
        guard try await core.stores.users.account(loginID) == nil else {
            throw try await core.sendLimits.taken(from: ask.from, at: core.ambient.now())
        }
        let facts = VerificationFacts(
            .signUp, userID: nil, loginID: loginID, address: nil, method: .passkey, details: request.details.json,
            options: request.options.json)
        return try await begin(facts, handle: makeHandle(), at: party, request.origin)
    }

    /// - Parameter isPaid: a sign-up was charged. It is refunded if an existing user signs in.
    private func beginSignIn(_ ask: PasskeyAsk, at party: RelyingParty, isPaid: Bool = false) async throws
        -> PasskeyStartAnswer
    {
        let options = ask.request.options
        try VerificationPlanner.check(options, presented: ask.presented)
        // Without a name, the device chooses the user. The identifier is a placeholder that no user can have.
        let isNamed = !ask.request.loginID.isEmpty
        let loginID =
            isNamed
            ? try VerificationPlanner.identifier(ask.request.loginID) : Identifier(kind: .username, storedValue: "")
        let continued = options.needsSession ? ask.presented : nil
        if let continued, isNamed, try await core.stores.users.account(loginID)?.user.id != continued.account.user.id {
            throw MethodProblem.invalidArguments.saying("The session belongs to another user")
        }
        // Only a signed-in user is named in a transaction: otherwise its length would show whether the user exists.
        var facts = VerificationFacts(
            .signIn, userID: continued?.account.user.id, loginID: loginID, address: nil, method: .passkey,
            options: options.json, presented: continued?.grant.id)
        facts.isSMSCharged = isPaid
        return try await begin(facts, handle: [], at: party, ask.request.origin)
    }

    private func beginUpdate(_ ask: PasskeyAsk, at party: RelyingParty) async throws -> PasskeyStartAnswer {
        guard let presented = ask.presented else { throw MethodProblem.tokenRevoked }
        let loginID = try VerificationPlanner.identifier(ask.request.loginID)
        guard presented.account.identifiers[loginID] != nil else {
            throw MethodProblem.invalidArguments.saying("The session belongs to another user")
        }
        try presented.require(.addPasskey, core.rulebook, at: core.ambient.now())
        let known = try await store.passkeys(of: presented.account.user.id, at: party.id)
        let facts = VerificationFacts(
            .update, userID: presented.account.user.id, loginID: loginID, address: nil, method: .passkey,
            options: ask.request.options.json, presented: presented.grant.id, epoch: presented.account.user.epoch)
        return try await begin(facts, handle: handle(among: known), at: party, ask.request.origin)
    }

    private func begin(_ facts: VerificationFacts, handle: [UInt8], at party: RelyingParty, _ origin: String?)
        async throws -> PasskeyStartAnswer
    {
        guard facts.json.serialized.count <= Limits.proofFactsBytesMax else {
            throw MethodProblem.invalidArguments.saying("Options and details are too large")
        }
        let seconds = party.policy.timeoutMilliseconds / 1_000 + Limits.passkeyAnswerSeconds
        let transaction = PasskeyTransaction(
            facts: facts, relyingParty: party.id, origin: origin, userHandle: handle,
            expiresAt: core.ambient.now() + seconds)
        let id = transactions.close(transaction)
        let named = try await epoch(of: facts)
        let challenge = ceremonies.challenge(
            transaction.creates ? .registration : .authentication, at: party, CeremonyBinding(.transaction, [id]),
            userHandle: handle, epoch: named)
        return PasskeyStartAnswer(
            transactionID: id, options: try await options(transaction, challenge, at: party),
            isCreation: transaction.creates, page: transactions.page(of: transaction, challenge))
    }

    private func options(_ transaction: PasskeyTransaction, _ challenge: [UInt8], at party: RelyingParty)
        async throws(StoreError) -> JSONValue
    {
        let user = try await user(of: transaction.facts) ?? UserID(rawValue: "")
        let known = try await store.passkeys(of: user, at: party.id)
        let options: JSONValue
        if transaction.creates {
            options =
                party.policy.creationOptions(
                    challenge: challenge, user: try await shown(transaction), excluding: known.map(\.record.descriptor)
                ).json
        } else {
            let name = transaction.facts.loginID.value
            let decoys = decoys.descriptors(for: Array(name.utf8), at: party)
            let active = known.filter(\.isActive).map(\.record.descriptor)
            let allowed = name.isEmpty ? [] : active.isEmpty ? decoys : active
            let asked = party.policy.requestOptions(challenge: challenge, allowing: allowed)
            var members = asked.json.objectValue ?? [:]
            // Clients of this API read the list even if it is empty.
            if allowed.isEmpty { members["allowCredentials"] = [] }
            options = .object(members)
        }
        return ["publicKey": options]
    }

    /// The epoch of the user whom a sign-in names; `nil`: it names none, or there is none. One read either way: its
    /// time does not tell who exists.
    private func epoch(of facts: VerificationFacts) async throws(StoreError) -> Int64? {
        guard facts.purpose == .signIn else { return nil }
        if let id = facts.userID { return try await core.stores.users.account(id)?.user.epoch }
        guard !facts.loginID.value.isEmpty else { return nil }
        return try await core.stores.users.account(facts.loginID)?.user.epoch
    }

    /// The user of a ceremony; `nil`: not known before the answer, or there is none.
    func user(of facts: VerificationFacts) async throws(StoreError) -> UserID? {
        if let known = facts.userID { return known }
        guard facts.purpose == .signIn, !facts.loginID.value.isEmpty else { return nil }
        return try await core.stores.users.account(facts.loginID)?.user.id
    }

    private func shown(_ transaction: PasskeyTransaction) async throws(StoreError)
        -> PublicKeyCredentialCreationOptions.User
    {
        let name = transaction.facts.loginID.value
        if let id = transaction.facts.userID, let account = try await core.stores.users.account(id) {
            return .init(
                id: transaction.userHandle, name: name, displayName: account.toldDisplayName ?? name)
        }
        let details = try? SignUpDetails(json: transaction.facts.details)
        return .init(id: transaction.userHandle, name: name, displayName: details?.name ?? name)
    }

    /// - Parameter origin: the ceremony's origin; `nil`: a page of this server, or an app of its operator.
    private func party(_ origin: String?) throws(MethodProblem) -> RelyingParty {
        guard let party = origin.map({ parties.party(origin: $0) }) ?? parties.own ?? parties.all.first else {
            throw .invalidRequest.saying("No relying party is configured for that origin: see passkeys in the file")
        }
        return party
    }
}
