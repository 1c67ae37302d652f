internal import Authority
internal import KeyturnBase
internal import KeyturnWire
package import Model

/// Users that a verification creates.
package enum NewAccount {
    /// The ``User/epoch`` in which every account begins, in every store.
    static let firstEpoch: Int64 = 0

    /// The user of a sign-up.
    ///
    /// - Parameters:
    ///   - address: the verified address; `nil`: none, so that no address is marked as verified.
    ///   - permission: that the account may be opened.
    static func make(
        _ facts: VerificationFacts, proved address: Identifier?, by permission: borrowing Allowed<Acts.CreateAccount>,
        ambient: Ambient
    ) -> Account {
        let now = ambient.now()
        let details = (try? SignUpDetails(json: facts.details)) ?? SignUpDetails()
        var claims: [String: JSONValue] = [:]
        let middle = details.middleName
        for (name, value) in [
            ("name", details.name), ("given_name", details.givenName), ("middle_name", middle),
            ("family_name", details.familyName),
        ] {
            if let value { claims[name] = .string(value) }
        }
        let user = User(id: .make(ambient), claims: claims, createdAt: now, updatedAt: now)
        // A name that is no address belongs to the user who took it first: it cannot be verified.
        let isProved = facts.loginID == address || facts.loginID.kind == .username
        var account = Account(
            user: user, identifiers: [facts.loginID: isProved ? .verified : .unverified], passwordHash: nil)
        if let email = details.email { account.set(.email, email, isVerified: false) }
        if let phone = details.phone { account.set(.phone, phone, isVerified: false) }
        if facts.loginID.kind == .email, account.email == nil {
            account.set(.email, facts.loginID.value, isVerified: isProved)
        }
        if facts.loginID.kind == .phone, account.phone == nil {
            account.set(.phone, facts.loginID.value, isVerified: isProved)
        }
        if let address { account.set(address.kind, address.value, isVerified: true) }
        account.identifiers[facts.loginID] = isProved ? .verified : .unverified
        return account
    }

    /// Removes the data of an unverified sign-up, which may come from another person: above all addresses, since codes
    /// would be sent to them.
    static func forgetStrangers(_ account: inout Account, keeping address: Identifier) {
        forgetStrangers(&account, keeping: [address])
    }

    /// Keeps any number of addresses. Without one it changes nothing.
    package static func forgetStrangers(_ account: inout Account, keeping addresses: Set<Identifier>) {
        guard !addresses.isEmpty else { return }
        for kind in [Identifier.Kind.email, .phone] { account.set(kind, nil, isVerified: false) }
        account.identifiers = [:]
        for address in addresses.sorted(by: { $0.value < $1.value }) {
            account.identifiers[address] = .verified
            account.set(address.kind, address.value, isVerified: true)
        }
    }
}

extension UserStore {
    /// Adds a user.
    ///
    /// - Returns: `false` if another user took the login ID meanwhile; nothing is written then.
    func createUnlessTaken(_ account: Account, by allowed: consuming Allowed<Acts.CreateAccount>)
        async throws(StoreError) -> Bool
    {
        do {
            try await create(account, by: allowed)
            return true
        } catch {
            guard error.code == .conflict else { throw error }
            return false
        }
    }
}
