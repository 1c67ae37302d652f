import Authority
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: disputes of sign-ins, and who added which address")
struct DisputedAddressTests {
    /// A user with an own address and one that was added; then a sign-in, which is disputed.
    private struct Case {
        let bench: Bench
        let user: UserID
        let own: Identifier
        let added: Identifier
        /// When the sign-in began. The own address was there for long.
        let moment: UnixTime
        var leftDomains: Set<String> = []

        /// - Parameter seconds: between the proof of the added address and the sign-in.
        init(_ engine: any Engine, addedBefore seconds: Int64, isContact: Bool = false) async throws {
            bench = try await Bench(engine)
            moment = bench.now + 2 * Limits.recoveryProofAgeSeconds
            own = try bench.identifier("andy@example.com")
            added = try bench.identifier("added@example.com")
            let account = try bench.account("andy@example.com")
            try await bench.stores.users.create(account, authenticator: nil)
            user = account.user.id
            _ = try await bench.stores.users.change(user, at: bench.now) { [own] in $0.noteVerified(own) }
            try await change(-seconds) { [added] account in
                if isContact { account.set(.email, added.value, isVerified: true) } else { account.noteVerified(added) }
            }
        }

        func change(_ seconds: Int64, _ change: @escaping @Sendable (inout Account) -> Void) async throws {
            _ = try await bench.stores.users.change(user, at: moment + seconds) { change(&$0) }
        }

        /// The dispute of the sign-in, by the link that was sent to an address.
        func dispute(by reader: Identifier?) -> SignInDispute {
            var dispute = SignInDispute(
                digest: bench.digest(reader?.value ?? "earlier release"), userID: user, sentTo: reader,
                signedInAt: moment, startedAt: moment, expiresAt: moment + 86_400)
            dispute.leftDomains = leftDomains
            return dispute
        }

        func state(by reader: Identifier) async throws -> SignInDispute.State {
            try await bench.stores.risks.state(of: dispute(by: reader))
        }

        func carryOut(by reader: Identifier?) async throws -> Bool {
            let now = moment + 600
            let event = AuditEvent(.signInDisputed, at: now, userID: user)
            return try await bench.stores.risks.dispute(dispute(by: reader), event: event, at: now)
        }

        func addresses() async throws -> Set<Identifier> {
            try #require(try await bench.stores.users.account(user)).provedAddresses
        }
    }

    @Test(arguments: Engines.withValues, [false, true])
    func `who added an address that the owner removed has no say, and it does not come back`(
        _ engine: any Engine, isContact: Bool
    ) async throws {
        let robbed = try await Case(engine, addedBefore: 60, isContact: isContact)
        let (own, added) = (robbed.own, robbed.added)
        #expect(try await robbed.state(by: added) == .open, "as long as it is an address of the account")
        try await robbed.change(60) { account in
            account.identifiers[added] = nil
            account.set(.email, own.value, isVerified: true)
        }
        #expect(try await robbed.state(by: added) == .void)
        #expect(try await robbed.bench.stores.risks.restorable(robbed.dispute(by: added)) == [])
        #expect(try await !robbed.carryOut(by: added))
        #expect(try await robbed.state(by: own) == .open)
        #expect(try await robbed.carryOut(by: own))
        #expect(try await robbed.addresses() == [own])
        #expect(try await robbed.state(by: own) == .carriedOut)
    }

    @Test(arguments: Engines.withValues)
    func `a link of an earlier release, which names no address, brings none back either`(_ engine: any Engine)
        async throws
    {
        let robbed = try await Case(engine, addedBefore: 60)
        try await robbed.change(60) { [added = robbed.added] in $0.identifiers[added] = nil }
        #expect(try await robbed.carryOut(by: nil))
        #expect(try await robbed.addresses() == [robbed.own])
    }

    @Test(arguments: Engines.withValues, [false, true])
    func `the owner's address has a say, and comes back, when a thief removed it`(
        _ engine: any Engine, isContact: Bool
    ) async throws {
        // As new as can be: what is older than all others may be.
        let robbed = try await Case(engine, addedBefore: 60, isContact: isContact)
        let (own, added) = (robbed.own, robbed.added)
        try await robbed.change(-1) { account in
            account.identifiers[own] = nil
            if !isContact { account.set(.email, added.value, isVerified: true) }
        }
        let evil = try robbed.bench.identifier("evil@example.com")
        try await robbed.change(60) { account in
            account.noteVerified(evil)
            account.identifiers[added] = nil
            account.set(.email, evil.value, isVerified: true)
        }
        #expect(try await robbed.addresses() == [evil])
        #expect(try await robbed.carryOut(by: added))
        #expect(try await robbed.addresses() == [added])
    }

    @Test(arguments: Engines.withValues, [-1, 0])
    func `an address that was there for long comes back beside an older one`(_ engine: any Engine, seconds: Int64)
        async throws
    {
        let robbed = try await Case(engine, addedBefore: Limits.recoveryProofAgeSeconds + seconds)
        let (own, added) = (robbed.own, robbed.added)
        try await robbed.change(60) { $0.identifiers[added] = nil }
        let isOld = seconds == 0
        #expect(try await robbed.state(by: added) == (isOld ? .open : .void))
        #expect(try await robbed.carryOut(by: added) == isOld)
        #expect(try await robbed.addresses() == (isOld ? [own, added] : [own]))
    }

    @Test(arguments: Engines.withValues)
    func `where an operator named addresses, none comes back, and the reader of one that is gone has no say`(
        _ engine: any Engine
    )
        async throws
    {
        let robbed = try await Case(engine, addedBefore: 60)
        let (own, added) = (robbed.own, robbed.added)
        let given = try robbed.bench.identifier("given@example.com")
        let account = try #require(try await robbed.bench.stores.users.account(robbed.user))
        let allowed = try Rulebook(AuthorityPolicy()).permitChange(
            [.addAddress, .proveAddress],
            to: .operator(OperatorStanding(user: "o", role: .operator, isRecent: true, actingRoles: [])),
            on: account.subject)
        _ = try await robbed.bench.stores.users.change(by: allowed, at: robbed.moment + 30) {
            $0.identifiers[given] = .verified
        }
        try await robbed.change(60) { account in
            account.identifiers[own] = nil
            account.set(.email, given.value, isVerified: true)
        }
        #expect(try await robbed.state(by: own) == .void)
        #expect(try await robbed.bench.stores.risks.restorable(robbed.dispute(by: added)) == [])
        #expect(try await robbed.carryOut(by: added))
        #expect(try await robbed.addresses() == [added])
    }

    @Test(arguments: Engines.withValues, [false, true])
    func `the address of a tenant that the user has left does not come back, and its reader has no say`(
        _ engine: any Engine, isContact: Bool
    ) async throws {
        var left = try await Case(engine, addedBefore: 60, isContact: isContact)
        left.leftDomains = ["example.com"]
        let (own, added) = (left.own, left.added)
        let home = try left.bench.identifier("andy@home.example")
        try await left.change(-30) { $0.noteVerified(home) }
        #expect(try await left.state(by: added) == .open, "as long as it is an address of the account")
        try await left.change(60) { account in
            for gone in [own, added] { account.identifiers[gone] = nil }
            account.set(.email, home.value, isVerified: true)
        }
        #expect(try await left.state(by: own) == .void)
        #expect(try await left.state(by: added) == .void)
        #expect(try await left.bench.stores.risks.restorable(left.dispute(by: home)) == [])
        #expect(try await left.carryOut(by: home))
        #expect(try await left.addresses() == [home])
    }

    @Test(arguments: Engines.withValues, [false, true])
    func `an address that was added again is as old as it was`(_ engine: any Engine, isContact: Bool) async throws {
        let robbed = try await Case(engine, addedBefore: 60, isContact: isContact)
        let (own, added) = (robbed.own, robbed.added)
        try await robbed.change(-30) { account in
            account.identifiers[own] = nil
            account.set(.email, added.value, isVerified: true)
        }
        try await robbed.change(60) { account in
            account.noteVerified(own)
            account.identifiers[added] = nil
            account.set(.email, own.value, isVerified: true)
        }
        #expect(try await robbed.state(by: added) == .void)
        #expect(try await robbed.carryOut(by: nil))
        #expect(try await robbed.addresses() == [own])
    }

    @Test(arguments: Engines.withValues)
    func `an address that a thief added again goes`(_ engine: any Engine) async throws {
        let robbed = try await Case(engine, addedBefore: 60)
        let (own, added) = (robbed.own, robbed.added)
        try await robbed.change(-30) { $0.identifiers[added] = nil }
        try await robbed.change(60) { account in
            account.noteVerified(added)
            account.identifiers[own] = nil
            account.set(.email, added.value, isVerified: true)
        }
        #expect(try await robbed.addresses() == [added])
        #expect(try await robbed.carryOut(by: own))
        #expect(try await robbed.addresses() == [own])
    }

    @Test(arguments: Engines.withValues)
    func `an account of which a sign-in was disputed is not given away by its mailbox alone`(_ engine: any Engine)
        async throws
    {
        let robbed = try await Case(engine, addedBefore: 60)
        func givesAway() async throws -> Bool {
            let account = try #require(try await robbed.bench.stores.users.account(robbed.user))
            let asks = Caller.session(
                SessionStanding(.wire, isRecent: true, usedStrongFactor: true, usedSeveralFactors: true))
            return Rulebook(AuthorityPolicy()).allows(
                .giveUpAccount, to: asks, on: account.subject, showing: .addressProof)
        }
        #expect(try await givesAway(), "the control: it has neither a password nor a factor")
        #expect(try await robbed.carryOut(by: robbed.own))
        #expect(try await !givesAway())
    }
}
