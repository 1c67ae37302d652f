internal import KeyturnBase

/// An address can be a claim, and it can be an identifier to sign in with: the two are kept in step.
extension Account {
    /// The user's email address for messages; `nil`: none.
    public var email: String? { user.claims["email"]?.stringValue }
    public var isEmailVerified: Bool { user.claims["email_verified"]?.boolValue ?? false }
    /// With a leading `+`; `nil`: none.
    public var phone: String? { user.claims["phone_number"]?.stringValue }
    public var isPhoneVerified: Bool { user.claims["phone_number_verified"]?.boolValue ?? false }

    /// Whether any of its addresses was verified.
    package var hasProvenAddress: Bool { !provedAddresses.isEmpty }

    /// Whether it is the address that messages of its kind go to, and was verified.
    package func knowsVerified(_ address: Identifier) -> Bool {
        let (known, isVerified) = address.kind == .phone ? (phone, isPhoneVerified) : (email, isEmailVerified)
        return isVerified && known.flatMap(Identifier.init(loginID:)) == address
    }

    /// Where to tell the user of a change, by mail or by text message: the verified address that the new one replaces,
    /// else another that messages go to, else any verified one.
    package func provenAddress(besides changed: Identifier) -> Identifier? {
        let claims = [(email, isEmailVerified), (phone, isPhoneVerified)].filter(\.1)
        let names = identifiers.filter { $0.key.kind != .username && $0.value == .verified }.keys
        let all = claims.compactMap { $0.0.flatMap(Identifier.init(loginID:)) } + names.sorted { $0.value < $1.value }
        let others = all.filter { $0 != changed }
        return others.first { $0.kind == changed.kind } ?? others.first
    }

    /// The user's verified addresses, to sign in with or to get messages at.
    public var provedAddresses: Set<Identifier> {
        let known = [(email, isEmailVerified), (phone, isPhoneVerified)].filter(\.1)
        return Set(known.compactMap { $0.0.flatMap(Identifier.init(loginID:)) })
            .union(identifiers.filter { $0.key.kind != .username && $0.value == .verified }.keys)
    }

    /// Addresses, to sign in with or to get messages at, that the user has not proved.
    public var unprovedAddresses: Set<Identifier> {
        let contacts = [email, phone].compactMap { $0.flatMap(Identifier.init(loginID:)) }
        return Set(identifiers.keys.filter { $0.kind != .username }).union(contacts).subtracting(provedAddresses)
    }

    /// Whether what was set up at this account is void once it becomes `changed`. A stranger may have made an account that
    /// claims addresses and has proved none: nothing of theirs stays when any address of it counts as proved, or when its
    /// user is invited. Invited users were created by the operator; an account with user names alone claims no address.
    package func isStrangers(onceItBecomes changed: Account) -> Bool {
        guard user.status != .invited, !hasProvenAddress else { return false }
        return changed.user.status == .invited || !unprovedAddresses.isEmpty && changed.hasProvenAddress
    }

    /// What the user is named or reached by, proved or not.
    private var names: Set<Identifier> { Set(identifiers.keys).union(provedAddresses).union(unprovedAddresses) }

    /// Whether more opens it than the one name by which an owner knows the user: a password, or another name.
    package var hasMoreThanOneName: Bool { passwordHash != nil || names.count > 1 }

    /// Whether it has a name that it had not before, or one that was not proved before.
    package func isNamedAnew(since before: Account) -> Bool {
        !names.isSubset(of: before.names) || !provedAddresses.isSubset(of: before.provedAddresses)
    }

    /// The address by which an owner knows the user, if it was said and is proved. `nil`: which one the user's own is,
    /// nothing tells; the only one that is left may be another's.
    package func known(by address: Identifier?) -> Identifier? {
        address.flatMap { provedAddresses.contains($0) ? $0 : nil }
    }

    /// Removes every address but one that was proved. User names stay.
    package mutating func keepOnly(_ address: Identifier) {
        for kind in [Identifier.Kind.email, .phone] { set(kind, nil, isVerified: false) }
        identifiers = identifiers.filter { $0.key == address || $0.key.kind == .username }
        set(address.kind, address.value, isVerified: true)
    }

    /// Sets or removes an address, and updates the identifier of the same spelling.
    public mutating func set(_ kind: Identifier.Kind, _ address: String?, isVerified: Bool) {
        guard let (claim, verified) = Self.claims(of: kind) else { return }
        user.claims[claim] = address.map(JSONValue.string)
        user.claims[verified] = address.map { _ in .bool(isVerified) }
        guard let identifier = address.flatMap(Identifier.init(loginID:)), identifiers[identifier] != nil else {
            return
        }
        identifiers[identifier] = isVerified ? .verified : .unverified
    }

    /// The user has verified the identifier, which also accepts an invitation.
    public mutating func noteVerified(_ identifier: Identifier) {
        identifiers[identifier] = .verified
        if user.status == .invited { user.status = .active }
        guard let (claim, verified) = Self.claims(of: identifier.kind) else { return }
        let known = user.claims[claim]?.stringValue
        guard known == nil || known.flatMap(Identifier.init(loginID:)) == identifier else { return }
        user.claims[claim] = .string(known ?? identifier.value)
        user.claims[verified] = true
    }

    private static func claims(of kind: Identifier.Kind) -> (address: String, verified: String)? {
        switch kind {
        case .email: ("email", "email_verified")
        case .phone: ("phone_number", "phone_number_verified")
        case .username: nil
        }
    }
}

extension Account {
    /// The identifier that attempts at this account are counted on: always the same, whichever was typed.
    package var countedName: Identifier {
        identifiers.keys.min { ($0.kind.rawValue, $0.value) < ($1.kind.rawValue, $1.value) }
            ?? Identifier(kind: .username, storedValue: user.id.rawValue)
    }
}
