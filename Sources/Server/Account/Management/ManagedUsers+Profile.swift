public import Authority
public import Model
internal import KeyturnBase
internal import KeyturnWire

/// The profile and the login IDs of a user, as an operator enters them.
extension ManagedUsers {
    /// What a form of the profile holds. Empty: not given.
    public struct Profile: Hashable, Sendable {
        public var name: String
        public var givenName: String
        public var familyName: String
        public var email: String
        /// With a leading `+`.
        public var phone: String

        public init(name: String, givenName: String, familyName: String, email: String, phone: String) {
            self.name = name
            self.givenName = givenName
            self.familyName = familyName
            self.email = email
            self.phone = phone
        }

        /// The profile as it is.
        public init(_ account: Account) {
            let text = { account.user.claims[$0]?.stringValue ?? "" }
            self.init(
                name: text("name"), givenName: text("given_name"), familyName: text("family_name"),
                email: account.email ?? "", phone: account.phone ?? "")
        }
    }

    /// Saves a profile. A changed address is no longer verified; the login ID of the same spelling changes with it.
    ///
    /// - Throws: ``MethodProblem/invalidArguments`` for a text that is too long, or no such address;
    ///   ``MethodProblem/userExists`` if an address is another user's login ID.
    public func save(_ profile: Profile, of found: Account, by actor: Actor) async throws -> Account {
        let names = ["name": profile.name, "given_name": profile.givenName, "family_name": profile.familyName]
        for text in names.values {
            guard text.utf8.count <= Limits.nameBytesMax,
                !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { throw MethodProblem.invalidArguments.saying("A name has at most \(Limits.nameBytesMax) bytes") }
        }
        let email = try Self.address(profile.email, .email, of: found)
        let phone = try Self.address(profile.phone, .phone, of: found)
        return try await change(found, "user.updated", as: .changeProfile, by: actor) { account in
            for (claim, text) in names { account.user.claims[claim] = text.isEmpty ? nil : .string(text) }
            account.replace(.email, by: email)
            account.replace(.phone, by: phone)
        }
    }

    private static func address(_ text: String, _ kind: Identifier.Kind, of account: Account) throws(MethodProblem)
        -> Identifier?
    {
        guard !text.isEmpty else { return nil }
        guard let identifier = Identifier(loginID: text), identifier.kind == kind else {
            throw .invalidArguments.saying(
                kind == .email ? "This is not an email address" : "A phone number begins with + and the country's code")
        }
        let present = kind == .email ? account.email : account.phone
        if account.identifiers[identifier] == nil, present.flatMap(Identifier.init(loginID:)) != identifier,
            let flaw = identifier.flaw
        {
            throw .invalidArguments.saying("The address \(flaw)")
        }
        return identifier
    }

    /// Adds a login ID, which is not verified yet; a user name needs no verification.
    ///
    /// - Throws: ``MethodProblem/userExists`` if it is another user's.
    public func addLoginID(_ text: String, to found: Account, by actor: Actor) async throws -> Account {
        let identifier = try identifiers([text], for: found)[0]
        guard found.identifiers[identifier] == nil else { return found }
        return try await change(found, "user.login_id", as: .addAddress, by: actor) { account in
            account.identifiers[identifier] = identifier.kind == .username ? .verified : .unverified
        }
    }

    /// Removes a login ID, but never the last one.
    ///
    /// - Throws: ``MethodProblem/invalidRequest`` for the last one.
    public func removeLoginID(_ text: String, of found: Account, by actor: Actor) async throws -> Account {
        let identifier = try identifiers([text], for: nil)[0]
        guard found.identifiers[identifier] != nil else { return found }
        guard found.identifiers.count > 1 else {
            throw MethodProblem.invalidRequest.saying("The last login ID cannot be removed")
        }
        return try await change(found, "user.login_id", as: .removeAddress, by: actor) { account in
            if account.identifiers.count > 1 { account.identifiers[identifier] = nil }
        }
    }
}

extension Account {
    /// Replaces an address that messages go to, and the login ID of its spelling: never the last one by none.
    fileprivate mutating func replace(_ kind: Identifier.Kind, by identifier: Identifier?) {
        let old = (kind == .email ? email : phone).flatMap(Identifier.init(loginID:))
        guard old != identifier else { return }
        if let old, identifiers[old] != nil, identifiers.count > 1 || identifier != nil {
            identifiers[old] = nil
            if let identifier { identifiers[identifier] = .unverified }
        }
        let isVerified = identifier.map { identifiers[$0] == .verified } ?? false
        set(kind, identifier?.value, isVerified: isVerified)
    }
}
