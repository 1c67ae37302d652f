internal import Authority
public import KeyturnBase
internal import KeyturnWire
public import Model
public import SignIn

/// The addresses and names that a user signs in with.
extension AccountSettings {
    /// An address that a code was sent to. The page contains it sealed.
    public struct PendingIdentifier: Codable, Hashable, Sendable {
        let userID: String
        let kind: String
        let value: String
        /// When the code was sent.
        public let sentAt: UnixTime

        /// The address itself.
        public var identifier: Identifier {
            Identifier(kind: Identifier.Kind(rawValue: kind) ?? .username, storedValue: value)
        }

        /// The address, most of it hidden.
        public var masked: String { Destination.mask(value) }

        /// Whether it belongs to this user's page.
        public func isOf(_ user: UserID) -> Bool { userID == user.rawValue }
    }

    /// Why an identifier was not changed.
    public enum IdentifierProblem: Hashable, Sendable {
        case invalid, taken, tooMany, lastOne
        /// An account would come of it, and `project.sign_up` does not allow one.
        case closed
    }

    /// The result of sending a code.
    public enum Sending: Sendable {
        case sent(PendingIdentifier)
        case refused(IdentifierProblem)
        case throttled(retryAfterSeconds: Int)
    }

    /// The result of checking a code.
    public enum Proving: Hashable, Sendable {
        case added, verified, wrong, expired
        case exhausted(retryAfterSeconds: Int)
        case refused(IdentifierProblem)
    }

    /// Sends a code to an address that the owner wants to add or verify. Nothing changes before the code is entered.
    ///
    /// An address of another user gets a message as well: only its reader learns that it is taken.
    public func sendCode(to text: String, of owner: AccountOwner) async throws -> Sending {
        guard let identifier = Identifier(loginID: text), Self.isAddress(identifier) else { return .refused(.invalid) }
        let present = owner.account.identifiers[identifier]
        guard present != nil || identifier.flaw == nil else { return .refused(.invalid) }
        guard present != .verified else { return .refused(.taken) }
        guard present != nil || owner.account.identifiers.count < Limits.identifiersOfUserMax else {
            return .refused(.tooMany)
        }
        guard try await mayHaveAccount(owner, by: identifier) else { return .refused(.closed) }
        let core = methods.codes.core
        let now = ambient.now()
        let isTest = owner.account.user.isTest
        let isPhone = identifier.kind == .phone
        let name = owner.account.countedName
        var facts = VerificationFacts(
            .update, userID: owner.userID, loginID: identifier, address: identifier,
            method: isPhone ? .sms : .email, epoch: owner.account.user.epoch)
        do {
            if !isTest { try await core.sendLimits.pay(for: name, to: identifier, from: owner.address, at: now) }
            if !isTest, isPhone {
                let smsCharge = try await core.sendLimits.chargeSMS(
                    to: identifier, for: name, isDecoy: false, isOwn: false, from: owner.address, at: now)
                if case .refused(let seconds) = smsCharge { return .throttled(retryAfterSeconds: seconds) }
                facts.isSMSCharged = true
            }
        } catch let problem as MethodProblem {
            guard let seconds = problem.retryAfterSeconds else { throw problem }
            return .throttled(retryAfterSeconds: seconds)
        }
        let slot = Self.slot(identifier, of: owner.userID)
        let code = core.digests.makeCode()
        try await core.stores.codes.add(
            PendingCode(
                slot: slot, digest: core.digests.digest(of: code, slot: slot), facts: facts,
                expiresAt: now + Limits.proofSeconds),
            liveMax: Limits.codesLiveMax, at: now)
        let plan = VerificationPlan(
            facts: facts, method: isPhone ? .sms : .email, to: identifier.value, isDecoy: false, isSilent: isTest,
            isRegistered: false, options: .none,
            masked: MaskedAnswer(Destination.mask(identifier.value), via: isPhone ? .sms : .email))
        try await core.messages.send(code, plan)
        return .sent(
            PendingIdentifier(
                userID: owner.userID.rawValue, kind: identifier.kind.rawValue, value: identifier.value, sentAt: now))
    }

    /// Checks the code of a pending address, and adds the address or marks it as verified.
    public func prove(_ pending: PendingIdentifier, code: Secret, of owner: AccountOwner) async throws -> Proving {
        guard pending.isOf(owner.userID) else { return .wrong }
        let core = methods.codes.core
        let now = ambient.now()
        let slot = Self.slot(pending.identifier, of: owner.userID)
        let verdict = try await core.stores.codes.redeem(
            CodeTry(
                slot: slot, digests: core.digests.candidates(code, slot: slot),
                counts: [TryCount(slot: slot, party: "owner", max: Limits.codeTriesMax)]),
            windowSeconds: Limits.proofSeconds, at: now)
        let identifier = pending.identifier
        switch verdict {
        case .wrong: return .wrong
        case .expired: return .expired
        case .exhausted(let retryAt): return .exhausted(retryAfterSeconds: Int(retryAt.seconds(since: now)))
        case .right(let facts):
            guard facts.userID == owner.userID, facts.address == identifier else { return .wrong }
            try await core.sendLimits.giveBack(
                owner.account.countedName, phone: facts.isSMSCharged ? identifier : nil, from: owner.address, at: now)
        }
        return try await take(identifier, owner)
    }

    /// A user without an account gets one with the first name to sign in with.
    func mayHaveAccount(_ owner: AccountOwner, by identifier: Identifier) async throws(StoreError) -> Bool {
        guard owner.account.user.isAnonymous else { return true }
        let address = identifier.kind == .username ? nil : identifier
        return try await methods.codes.core.signUp.admits(.anonymous, proving: address)
    }

    private func take(_ identifier: Identifier, _ owner: AccountOwner) async throws(StoreError) -> Proving {
        guard try await mayHaveAccount(owner, by: identifier) else { return .refused(.closed) }
        let note = ChangeNote(ambient)
        let noted = note.noting { (account: inout Account) in
            guard account.identifiers[identifier] != nil || account.identifiers.count < Limits.identifiersOfUserMax
            else { return }
            account.noteVerified(identifier)
        }
        let now = ambient.now()
        let changed: Account
        do throws(StoreError) {
            // An account that only claims the address does not keep it from the user who has proved it.
            let claims = UnprovedClaims(
                stores: stores, rulebook: project.rulebook, notices: methods.codes.core.notices, audit: audit,
                ambient: ambient)
            guard try await claims.release(identifier, for: owner.userID) else { return .refused(.taken) }
            let act: Act = owner.account.identifiers[identifier] == nil ? .addAddress : .proveAddress
            changed = try await stores.users.change(
                by: try changePermission(act, owner, showing: .addressProof), at: now, noted)
        } catch {
            guard error.code == .conflict else { throw error }
            return .refused(.taken)
        }
        guard changed.identifiers[identifier] == .verified else { return .refused(.tooMany) }
        guard owner.account.identifiers[identifier] == nil else {
            record(.identifierVerified, owner, reason: identifier.kind.rawValue, changes: note.changes)
            return .verified
        }
        record(.identifierAdded, owner, reason: identifier.kind.rawValue, changes: note.changes)
        await tell(.addressAdded(identifier), owner)
        return .added
    }

    /// The identifiers without which the owner could still sign in.
    public func removable(of owner: AccountOwner, leaving ways: SignInWays) async throws(StoreError) -> Set<Identifier>
    {
        let linked = Set(try await stores.identities.identities(of: owner.userID).map(\.key.connectionID))
        return Set(
            owner.account.identifiers.keys.filter { identifier in
                var rest = owner.account
                rest.identifiers[identifier] = nil
                return ways.areOpen(to: rest, linked: linked)
            })
    }

    /// Removes an identifier. Codes and links that were sent to it become invalid.
    ///
    /// - Parameter ways: one of them stays open.
    /// - Returns: why it stays; `nil`: it is removed, or was not the owner's.
    public func remove(
        _ identifier: Identifier, of owner: AccountOwner, leaving ways: SignInWays
    ) async throws(StoreError) -> IdentifierProblem? {
        guard let state = owner.account.identifiers[identifier] else { return nil }
        let note = ChangeNote(ambient)
        let noted = note.noting { (account: inout Account) in
            account.identifiers[identifier] = nil
            guard Self.isPrimary(identifier, of: account) else { return }
            let next = account.identifiers.filter { $0.key.kind == identifier.kind && $0.value == .verified }.keys
            account.set(identifier.kind, next.map(\.value).min(), isVerified: true)
        }
        let act: Act = identifier.kind == .username ? .changeUsername : .removeAddress
        let changed = try await stores.users.change(
            by: try changePermission(act, owner), leaving: ways, at: ambient.now(), noted)
        guard changed.identifiers[identifier] == nil else { return .lastOne }
        try await stores.codes.removeAll(of: owner.userID)
        try await stores.links.removeAll(of: owner.userID)
        record(.identifierRemoved, owner, reason: identifier.kind.rawValue, changes: note.changes)
        if state == .verified { await tell(.addressRemoved(identifier), owner) }
        return nil
    }

    /// Makes a verified address the one for messages and for claims. The one before gets a notice.
    ///
    /// - Returns: whether it is one of the owner's verified addresses.
    public func makePrimary(_ identifier: Identifier, of owner: AccountOwner) async throws(StoreError) -> Bool {
        guard identifier.kind != .username else { return false }
        guard !Self.isPrimary(identifier, of: owner.account) else {
            return owner.account.identifiers[identifier] == .verified
        }
        let note = ChangeNote(ambient)
        let noted = note.noting { (account: inout Account) in
            guard account.identifiers[identifier] == .verified else { return }
            account.set(identifier.kind, identifier.value, isVerified: true)
        }
        let changed = try await stores.users.change(
            by: try changePermission(.choosePrimaryAddress, owner), at: ambient.now(), noted)
        guard Self.isPrimary(identifier, of: changed), changed.identifiers[identifier] == .verified else {
            return false
        }
        record(.addressChanged, owner, reason: identifier.kind.rawValue, changes: note.changes)
        let account = owner.account
        let (old, wasVerified) =
            identifier.kind == .phone
            ? (account.phone, account.isPhoneVerified) : (account.email, account.isEmailVerified)
        if wasVerified, let old = old.flatMap(Identifier.init(loginID:)), old.kind == identifier.kind {
            await tell(.addressChanged(from: old, to: identifier), owner)
        }
        return true
    }

    /// Whether it is the address that messages of its kind go to.
    public static func isPrimary(_ identifier: Identifier, of account: Account) -> Bool {
        let known =
            switch identifier.kind {
            case .email: account.email
            case .phone: account.phone
            case .username: String?.none
            }
        return known.flatMap(Identifier.init(loginID:)) == identifier
    }

    /// Codes of settings have separate slots: one that was sent to another person must not be good for a sign-in. Each
    /// address has its own slot, so that a right code for one gives no new tries for another.
    private static func slot(_ identifier: Identifier, of user: UserID) -> String {
        "settings:\(user.rawValue)/\(identifier.kind.rawValue):\(identifier.value)"
    }

    func tell(_ notice: SecurityNotice, _ owner: AccountOwner) async {
        await methods.codes.core.notices.send(notice, to: owner.account, from: owner.origin, at: ambient.now())
    }

    /// Whether messages can be sent there, as far as its form shows.
    private static func isAddress(_ identifier: Identifier) -> Bool {
        switch identifier.kind {
        case .email:
            return EmailDomain(ofAddress: identifier.value) != nil
        case .phone:
            return identifier.isDialled
        case .username:
            return false
        }
    }
}
