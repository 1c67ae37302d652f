internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension VerificationFacts {
    /// The session in which the user asked for a new address; `nil`: it was another purpose.
    fileprivate var changedIn: GrantID? { purpose == .update ? presented : nil }
}

/// Applies a verification: creates the user, marks the address as verified, or replaces an address.
struct VerificationCompletion: Sendable {
    let stores: Stores
    let notices: SecurityNotices
    let rulebook: Rulebook
    let signUp: SignUpGate
    let audit: any AuditLog
    let ambient: Ambient

    /// How the code or link came back.
    struct Return: Sendable {
        /// The reference of the client that waits elsewhere.
        var reference: SecretDigest?
        /// The user clicked a link, perhaps without knowing its purpose.
        var isByLink = false
        /// The session that the request itself presented.
        var session: GrantID?
        /// Where the request came from.
        var address: NetworkAddress?

        /// Whether the client that verifies is the one that asked: it has the same session, or, where the operator lets
        /// that count (``AuthorityPolicy/sameNetworkCounts``), the same network.
        func isByAsker(of facts: VerificationFacts, _ policy: AuthorityPolicy) -> Bool {
            guard let asker = facts.presented else { return false }
            if session == asker { return true }
            return policy.sameNetworkCounts && facts.network != nil && facts.network == address?.network
        }
    }

    func isByAsker(_ way: Return, of facts: VerificationFacts) -> Bool {
        way.isByAsker(of: facts, rulebook.policy)
    }

    /// - Returns: `nil` if the user was deleted, disabled or signed out everywhere since.
    /// - Throws: ``MethodProblem/userExists`` if an address to be taken over belongs to another user.
    func complete(_ facts: VerificationFacts, _ way: Return = Return()) async throws -> CompletedVerification? {
        var presented = try await presentedSession(facts)
        if facts.presented != nil, presented == nil { return nil }
        var options = (try? LoginOptions(json: facts.options)) ?? .none
        let isElsewhere = facts.presented != nil && !isByAsker(way, of: facts)
        let raises = options.needsSession
        // What the session has shown is its own: without it a code or a link is a sign-in like any other, which asks for the
        // account's second factor.
        if isElsewhere { (options.stepup, options.mfa) = (false, false) }
        let account: Account?
        var isFirst = false
        let epoch = facts.epoch
        switch facts.purpose {
        case .signUp:
            (account, isFirst) = try await open(facts, way, for: .anonymous)
        case .signIn, .passwordReset, .embedded:
            guard facts.userID != nil else {
                // A management key made the link.
                (account, isFirst) =
                    facts.purpose == .embedded ? try await open(facts, Return(), for: .managementKey) : (nil, false)
                break
            }
            account = try await believe(facts, way)
            isFirst = account.map { $0.user.id != facts.userID } ?? false
        case .update:
            account = try await update(facts, way)
        case .recovery:
            account = nil
        }
        guard let account, account.user.status == .active else { return nil }
        try await releaseContact(facts, way, of: account)
        if presented != nil, account.user.epoch != epoch || account.user.id != facts.userID {
            // The session that asked belonged to another user and has ended: the new session does not continue it, and
            // gets none of the options that it asked for.
            (presented, options) = (nil, .none)
        }
        // Any person may ask for a link to an address, and says nothing about its owner's sessions by that.
        if way.isByLink, facts.presented == nil { options.revokeOtherSessions = false }
        return CompletedVerification(
            identity: ProvenIdentity(
                account: account, method: facts.method, isFirst: isFirst, proving: facts.address), options: options,
            presented: raises ? presented : nil, changedIn: facts.changedIn, isElsewhere: isElsewhere)
    }

    /// The verification by a link that was opened elsewhere, for the waiting client. The link was applied when it was
    /// opened. The user must still exist, and have the address.
    ///
    /// - Parameter isFirst: whether the link made the account.
    func resume(_ facts: VerificationFacts, user: UserID, isFirst: Bool) async throws -> CompletedVerification? {
        let presented = try await presentedSession(facts)
        guard let account = try await stores.users.account(user), account.user.status == .active,
            SignInGrounds.holds([facts.address?.value].compactMap(\.self), account)
        else { return nil }
        // Opened links are removed when their user is signed out everywhere, so this one is current.
        var options = (try? LoginOptions(json: facts.options)) ?? .none
        guard !options.needsSession || presented != nil else { return nil }
        // As with every link: who opened it said nothing about its sessions, and had not the session that asked.
        if facts.presented == nil { options.revokeOtherSessions = false }
        // Whom the link made may have signed in meanwhile: the account is that person's own.
        let isFirst = try await isFirst ? stores.risks.past(of: user, at: ambient.now()).isEmpty : false
        return CompletedVerification(
            identity: ProvenIdentity(
                account: account, method: facts.method, isFirst: isFirst, proving: facts.address), options: options,
            presented: options.needsSession ? presented : nil, changedIn: facts.changedIn,
            isElsewhere: facts.presented != nil && !rulebook.policy.sameNetworkCounts,
            isLetIn: !isFirst && facts.purpose != .update
                && (facts.presented == nil || !rulebook.policy.sameNetworkCounts))
    }

    /// The session that was presented when the verification began, if it is still alive.
    func presentedSession(_ facts: VerificationFacts) async throws -> PresentedRefresh? {
        guard let id = facts.presented, let live = try await stores.grants.live(id, at: ambient.now()),
            live.grant.userID == facts.userID, let account = try await stores.users.account(live.user.id)
        else { return nil }
        return PresentedRefresh(account: account, grant: live.grant, isLate: false)
    }

    /// Creates the user of a sign-up. If a user with that login ID was created meanwhile, the verified address decides
    /// which user it belongs to, unless something ended that user's codes and links since.
    private func open(
        _ facts: VerificationFacts, _ way: Return, for caller: Caller
    ) async throws -> (Account?, isFirst: Bool) {
        if let address = facts.address {
            // The owner of a verified login ID, or an invited user, signs up once more.
            let holder = facts.loginID == address ? try await stores.users.account(address) : nil
            let isOwn = holder?.identifiers[address] == .verified || holder?.user.status == .invited
            if !isOwn, try await isProved(address, besides: holder) { return (nil, false) }
        }
        if let permission = try await signUp.permit(caller, proving: facts.address) {
            let account = NewAccount.make(facts, proved: facts.address, by: permission, ambient: ambient)
            if try await stores.users.createUnlessTaken(account, by: permission) { return (account, true) }
        }
        guard facts.loginID == facts.address, let other = try await stores.users.account(facts.loginID) else {
            return (nil, false)
        }
        // As if it had been sent when the account was made: what ended the account's links since ended this one.
        var facts = facts
        (facts.userID, facts.epoch) = (other.user.id, NewAccount.firstEpoch)
        return (try await believe(facts, way), false)
    }

    /// Marks the address as verified.
    ///
    /// If no address of the account was ever verified, another person may have registered it: everything that was set up
    /// before is removed. An address stays with the account that has proved it, to sign in with or to get messages at. A
    /// session that asked for the verification counts only if the client that verifies is the client that asked
    /// (``Return/isByAsker(of:)``).
    private func believe(_ facts: VerificationFacts, _ way: Return) async throws -> Account? {
        guard let id = facts.userID, let account = try await stores.users.account(id),
            account.user.epoch == facts.epoch
        else { return nil }
        guard account.user.status == .active || account.user.status == .invited else { return nil }
        guard let address = facts.address else { return account }
        // It has left the account since, as the login ID that was typed or as the contact that messages went to.
        let contacts = address == facts.loginID ? [] : account.provedAddresses.union(account.unprovedAddresses)
        guard account.identifiers[address] != nil || contacts.contains(address) else { return nil }
        let isLoginID = account.identifiers[address] != nil
        let isInvited = account.user.status == .invited
        // An invitation to a login ID is the operator's word.
        if !isLoginID || !isInvited, try await isProved(address, besides: account) { return nil }
        let isAsker = isByAsker(way, of: facts)
        if account.identifiers[address] == .unverified, account.hasProvenAddress, !isAsker, !account.user.isTest {
            return try await release(address, from: account, facts)
        }
        let isTaken = account.identifiers[address] != .verified && !isAsker && !account.hasProvenAddress
        guard !isInvited || signUp.admitsInvited(.anonymous) else { return nil }
        if isTaken && !isInvited {
            try await stores.passwords.void(
                by: try rulebook.permission(
                    Acts.VoidCredentials.self, to: .anonymous, on: account.subject, showing: .addressProof),
                keeping: way.reference, at: ambient.now())
        }
        let known = Self.isKnown(address, in: account)
        guard !known || isInvited || isTaken else { return account }
        let allowed = try rulebook.changePermission(
            .proveAddress, to: .anonymous, on: account.subject, showing: .addressProof)
        return try await stores.users.change(by: allowed, at: ambient.now()) { account in
            if isTaken && !isInvited && isLoginID { NewAccount.forgetStrangers(&account, keeping: address) }
            if account.identifiers[address] != nil {
                account.noteVerified(address)
            } else {
                account.set(address.kind, address.value, isVerified: true)
                if account.user.status == .invited { account.user.status = .active }
            }
        }
    }

    /// Whether another account has proved the address. An account that has proved it as well keeps it: two may share a
    /// mailbox, by an operator's word.
    private func isProved(_ address: Identifier, besides account: Account?) async throws(StoreError) -> Bool {
        if account?.identifiers[address] == nil, let holder = try await stores.users.account(address),
            holder.user.id != account?.user.id, holder.identifiers[address] == .verified
        {
            return true
        }
        return try await isContact(address, ofAnotherThan: account)
    }

    private func isContact(_ address: Identifier, ofAnotherThan account: Account?) async throws(StoreError) -> Bool {
        guard account?.provedAddresses.contains(address) != true else { return false }
        return try await stores.users.isContact(address, besides: account?.user.id)
    }

    private static func isKnown(_ address: Identifier, in account: Account) -> Bool {
        if let state = account.identifiers[address] { return state == .verified }
        return address.kind == .phone ? account.isPhoneVerified : account.isEmailVerified
    }

    /// Adds or replaces an address. The old address gets a notice, because its owner may not know of the change.
    ///
    /// A user who opens a link may not know whose account it adds the address to: it is good for nothing, unless
    /// the client that asked opens it. An address that another account has proved stays with that account.
    private func update(_ facts: VerificationFacts, _ way: Return) async throws -> Account? {
        guard let id = facts.userID, let address = facts.address, let account = try await stores.users.account(id),
            account.user.epoch == facts.epoch
        else { return nil }
        _ = try await addressPermission(account, facts)
        // It has been the login ID all along, and was never verified.
        if account.identifiers[address] == .unverified, !isByAsker(way, of: facts) {
            return try await believe(facts, way)
        }
        let now = ambient.now()
        let changed: Account
        var holder = try await stores.users.account(address)
        guard !way.isByLink || isByAsker(way, of: facts) else {
            if let holder, holder.user.id != id { throw MethodProblem.userExists }
            return nil
        }
        let isHeld = holder.map { $0.user.id != id && $0.identifiers[address] == .verified } ?? false
        if !isHeld, try await isContact(address, ofAnotherThan: account) { throw MethodProblem.userExists }
        // A factor that a stranger set up, or another address of theirs, keeps no address from its owner.
        if let other = holder, other.user.id != id, other.hasStrongFactor || other.hasProvenAddress,
            other.identifiers[address] == .unverified, try await claims.release(address, for: id)
        {
            holder = nil
        }
        if let other = holder, other.user.id != id, facts.addsToLoginIDs || facts.mergesIntoExisting {
            changed = try await merge(account, other, address, facts, byLink: way.isByLink)
        } else {
            if let other = holder, other.user.id != id, other.identifiers[address] == .verified {
                throw MethodProblem.userExists
            }
            let adds = facts.addsToLoginIDs
            let allowed = try await addressPermission(account, facts)
            changed = try await stores.users.change(by: allowed, at: now) { account in
                // Several verifications that began at the same time must not exceed the maximum.
                let hasRoom = account.identifiers.count < Limits.identifiersOfUserMax
                if adds, hasRoom || account.identifiers[address] != nil { account.identifiers[address] = .verified }
                account.set(address.kind, address.value, isVerified: true)
            }
        }
        if let old = account.provenAddress(besides: address), !account.knowsVerified(address) {
            let isReplaced = old.kind == address.kind && account.knowsVerified(old)
            await notices.send(
                isReplaced ? .addressChanged(from: old, to: address) : .addressAdded(address), to: account,
                from: SessionOrigin(address: way.address?.text, device: nil), at: now)
        }
        let (kind, values) = (address.kind.rawValue, AuditChanges.between(account, changed, ambient))
        audit.record(AuditEvent(.addressChanged, at: now, userID: changed.user.id, reason: kind, changes: values))
        return changed
    }

    /// Asks again whether the session may add an address: the account may have got a second factor since. The sign-in
    /// was recent when the message was asked for.
    private func addressPermission(_ account: Account, _ facts: VerificationFacts) async throws
        -> Allowed<Acts.ChangeAccount>
    {
        guard let presented = try await presentedSession(facts) else { throw MethodProblem.tokenRevoked }
        do throws(Denial) {
            return try rulebook.permitChange(
                [.addAddress], to: .session(presented.standing(at: presented.grant.authentication.time)),
                on: account.subject, showing: .addressProof)
        } catch {
            throw MethodProblem(error)
        }
    }
}
