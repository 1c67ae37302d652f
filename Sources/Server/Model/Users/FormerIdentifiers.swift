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
                    role: .primary, kind: kind, value: primary.address, isVerified: primary.isVerified, provedAt: nil,
                    endedAt: now))
        }
        return result
    }
}

/// What an account had at an earlier moment, to be restored.
///
/// Identifiers that were verified since are removed, unless the account had them then. Those that were removed since come
/// back, unless another user has taken them. Messages go again to the address that they went to.
public struct FormerIdentifiers: Sendable {
    /// What ended since, the first first.
    private let former: [FormerIdentifier]
    /// The identifiers that come back.
    package let kept: [Identifier: FormerIdentifier]
    private let added: Set<Identifier>

    /// - Parameters:
    ///   - former: what ended since the moment.
    ///   - added: what was verified since, and was not on the account before.
    package init(_ former: [FormerIdentifier], added: Set<Identifier>, since moment: UnixTime) {
        self.former = former.sorted { $0.endedAt < $1.endedAt }
        var kept: [Identifier: FormerIdentifier] = [:]
        for one in self.former where one.role == .identifier && one.provedAt.map({ $0 < moment }) ?? true {
            kept[Identifier(kind: one.kind, storedValue: one.value)] = one
        }
        self.kept = kept
        self.added = added.subtracting(kept.keys)
    }

    /// Restores them.
    ///
    /// - Parameter isTaken: whether another user has the identifier.
    package func restore(_ account: inout Account, isTaken: (Identifier) throws -> Bool) rethrows {
        for identifier in added { account.identifiers[identifier] = nil }
        for identifier in kept.keys where try !isTaken(identifier) { account.identifiers[identifier] = .verified }
        for kind in [Identifier.Kind.email, .phone] {
            let first = former.first { $0.role == .primary && $0.kind == kind }
            if let first, let identifier = Identifier(loginID: first.value), !added.contains(identifier),
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
