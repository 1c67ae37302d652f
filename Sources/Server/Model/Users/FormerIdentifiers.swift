public import KeyturnBase

/// An identifier that an account had, or an address that its messages went to.
public struct FormerIdentifier: Hashable, Sendable {
    /// What it was to the account.
    public enum Role: String, Sendable {
        /// A verified identifier to sign in with.
        case identifier
        /// The address that messages of its kind went to.
        case primary
    }

    public let role: Role
    public let kind: Identifier.Kind
    /// As the identifier or the claim had it.
    public let value: String
    public let isVerified: Bool
    /// When it was verified; `nil`: not known, and long ago.
    public let provedAt: UnixTime?
    /// When it ceased to be that.
    public let endedAt: UnixTime

    public init(
        role: Role, kind: Identifier.Kind, value: String, isVerified: Bool, provedAt: UnixTime?, endedAt: UnixTime
    ) {
        self.role = role
        self.kind = kind
        self.value = value
        self.isVerified = isVerified
        self.provedAt = provedAt
        self.endedAt = endedAt
    }

    /// What ends with a change of an account.
    ///
    /// - Parameter provedAt: when an identifier was verified, as far as that is known.
    package static func ended(
        from before: Account, to after: Account, at now: UnixTime, provedAt: (Identifier) throws -> UnixTime?
    ) rethrows -> [FormerIdentifier] {
        var result: [FormerIdentifier] = []
        for (identifier, state) in before.identifiers
        where state == .verified && after.identifiers[identifier] != .verified {
            result.append(
                FormerIdentifier(
                    role: .identifier, kind: identifier.kind, value: identifier.value, isVerified: true,
                    provedAt: try provedAt(identifier), endedAt: now))
        }
        for kind in [Identifier.Kind.email, .phone] {
            guard let primary = before.primary(kind), primary.address != after.primary(kind)?.address else { continue }
            result.append(
                FormerIdentifier(
                    role: .primary, kind: kind, value: primary.address, isVerified: primary.isVerified,
                    provedAt: try Identifier(loginID: primary.address).flatMap(provedAt), endedAt: now))
        }
        return result
    }
}

/// What an account had at an earlier moment, to be restored.
///
/// Identifiers that were verified since are removed, unless the account had them then. Those that were removed since come
/// back, unless another user has taken them. Messages go again to the address that they went to. An address that was first
/// verified less than ``Limits/recoveryProofAgeSeconds`` before the moment does not come back beside an older one: who
/// removed it may have been the owner, and who added it a thief. Nor is an older one removed that was added again since. One
/// of a tenant that the user has left does not come back.
public struct FormerIdentifiers: Sendable {
    /// What ended since, the first first.
    private let former: [FormerIdentifier]
    /// The identifiers that come back.
    package let kept: [Identifier: FormerIdentifier]
    private let added: Set<Identifier>
    /// The addresses that the account has and keeps.
    private let staying: Set<Identifier>
    private let ages: AddressAges

    /// - Parameters:
    ///   - former: what ended, as far as it is remembered.
    ///   - present: the verified addresses that the account has, and when they were verified; `nil`: not known, and long
    ///     ago.
    ///   - added: what was verified since, and was not on the account before.
    ///   - domains: of tenants that the user has left.
    package init(
        _ former: [FormerIdentifier], present: [Identifier: UnixTime?], added: Set<Identifier>, domains: Set<String>,
        since moment: UnixTime
    ) {
        let own = former.filter { !domains.has($0.value) }
        self.former = own.filter { $0.endedAt >= moment }.sorted { $0.endedAt < $1.endedAt }
        var before: [Identifier: FormerIdentifier] = [:]
        for one in self.former where one.role == .identifier && one.provedAt.map({ $0 < moment }) ?? true {
            before[one.identifier] = one
        }
        let stays = present.filter { !domains.has($0.key.value) }
        let ages = AddressAges(own, present: stays, added: added.subtracting(before.keys), since: moment)
        kept = before.filter { $0.key.kind == .username || ages.isOwn($0.key) }
        self.added = added.subtracting(before.keys).subtracting(ages.addedAgain)
        staying = Set(present.keys).subtracting(self.added)
        self.ages = ages
    }

    /// The identifiers that come back where no other user has them.
    package var restorable: Set<Identifier> { Set(kept.keys) }

    /// Whether the account has an address, or gets it back if no other user has it.
    package func has(_ address: Identifier) -> Bool {
        let wasPrimary = former.contains { $0.role == .primary && $0.isVerified && $0.address == address }
        return staying.contains(address) || kept[address] != nil || wasPrimary && ages.isOwn(address)
    }

    /// Restores them.
    ///
    /// - Parameter isTaken: whether another user has the identifier.
    package func restore(_ account: inout Account, isTaken: (Identifier) throws -> Bool) rethrows {
        for identifier in added { account.identifiers[identifier] = nil }
        for identifier in kept.keys where try !isTaken(identifier) { account.identifiers[identifier] = .verified }
        for kind in [Identifier.Kind.email, .phone] {
            let first = former.first { $0.role == .primary && $0.kind == kind }
            if let first, let identifier = first.address, !added.contains(identifier), ages.isOwn(identifier),
                try !isTaken(identifier)
            {
                account.set(kind, first.value, isVerified: first.isVerified)
                continue
            }
            guard let now = (account.primary(kind)?.address).flatMap(Identifier.init(loginID:)), added.contains(now)
            else { continue }
            let rest = account.identifiers.filter { $0.key.kind == kind && $0.value == .verified }.keys
            account.set(kind, rest.map(\.value).min(), isVerified: true)
        }
    }
}

/// Since when addresses are an account's: what is older counts as its owner's.
private struct AddressAges {
    private var first: [Identifier: UnixTime] = [:]
    /// When the oldest was first verified, of those that stay and that come back.
    private let oldest: UnixTime
    private let longAgo: UnixTime
    /// Addresses that were added again, and are the owner's.
    let addedAgain: Set<Identifier>

    init(
        _ former: [FormerIdentifier], present: [Identifier: UnixTime?], added: Set<Identifier>, since moment: UnixTime
    ) {
        longAgo = moment - Limits.recoveryProofAgeSeconds
        let proofs =
            former.filter { $0.role == .identifier || $0.isVerified }.map { ($0.address, $0.provedAt) }
            + present.map { ($0.key, $0.value) }
        for case (let address?, let provedAt) in proofs {
            first[address] = min(first[address] ?? moment, provedAt ?? UnixTime(rawValue: 0))
        }
        let again = added.filter { [first] in $0.kind != .username && first[$0].map { $0 < moment } ?? false }
        let ended = former.filter { $0.endedAt >= moment }.compactMap(\.address)
        let others = Set(present.keys).subtracting(added).union(again).union(ended)
        oldest = others.filter { $0.kind != .username }.compactMap { [first] in first[$0] }.min() ?? moment
        let bound = max(oldest, longAgo)
        addedAgain = again.filter { [first] in first[$0].map { $0 <= bound } ?? false }
    }

    /// Whether it is as old as any, or was there for long.
    func isOwn(_ address: Identifier) -> Bool { (first[address] ?? oldest) <= max(oldest, longAgo) }
}

extension Set<String> {
    /// Whether an address is in one of these domains.
    fileprivate func has(_ address: String) -> Bool {
        !isEmpty && EmailDomain(ofAddress: address).map { contains($0.name) } ?? false
    }
}

extension FormerIdentifier {
    fileprivate var identifier: Identifier { Identifier(kind: kind, storedValue: value) }

    /// As an identifier is spelled.
    fileprivate var address: Identifier? { Identifier(loginID: value) }
}

extension Account {
    /// The address that messages of a kind go to; `nil`: there is none.
    fileprivate func primary(_ kind: Identifier.Kind) -> (address: String, isVerified: Bool)? {
        switch kind {
        case .email: email.map { ($0, isEmailVerified) }
        case .phone: phone.map { ($0, isPhoneVerified) }
        case .username: nil
        }
    }
}
