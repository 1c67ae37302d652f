package import Authority
package import Model

/// Which domains of addresses belong to tenants.
package protocol DomainHolders: Sendable {
    /// Whether a tenant has proven the domain, or the operator gave it to one.
    func hasHolder(_ domain: EmailDomain) async throws(StoreError) -> Bool
}

/// Asks the rulebook whether an account may be opened. What makes accounts for users who ask for one themselves takes
/// the permission, so that no way in can forget to ask.
package struct SignUpGate: Sendable {
    let rulebook: Rulebook
    let domains: any DomainHolders

    package init(_ rulebook: Rulebook, domains: any DomainHolders) {
        self.rulebook = rulebook
        self.domains = domains
    }

    /// The permission for an account.
    ///
    /// - Parameters:
    ///   - caller: who wants it.
    ///   - address: which the new user has proved; `nil`: none.
    /// - Returns: `nil`: the account may not be opened.
    package func permit(
        _ caller: Caller, proving address: Identifier?
    ) async throws(StoreError) -> Allowed<Acts.CreateAccount>? {
        let evidence = try await evidence(of: address)
        do throws(Denial) {
            return try rulebook.permit(Acts.CreateAccount.self, to: caller, on: .newUser, showing: evidence)
        } catch {
            return nil
        }
    }

    /// Why an account could not be opened, once the address is proved; `nil`: it could. The work does not depend on who
    /// has an account.
    package func denial(_ caller: Caller, proving address: Identifier?) async throws(StoreError) -> Denial? {
        let evidence = try await evidence(of: address)
        do throws(Denial) {
            try rulebook.require(.createAccount, to: caller, on: .newUser, showing: evidence)
            return nil
        } catch {
            return error
        }
    }

    /// Whether an account could be opened, once the address is proved.
    package func admits(_ caller: Caller, proving address: Identifier?) async throws(StoreError) -> Bool {
        try await denial(caller, proving: address) == nil
    }

    /// Whether a user whom an operator has invited may complete the account.
    package func admitsInvited(_ caller: Caller) -> Bool {
        rulebook.allows(
            .createAccount, to: caller, on: .newUser, showing: Evidence(addressIsProved: true, isInvited: true))
    }

    /// Whether users can open accounts at all.
    package var isOpen: Bool {
        switch rulebook.policy.signUp {
        case .open, .domains: true
        case .invited, .off: false
        }
    }

    private func evidence(of address: Identifier?) async throws(StoreError) -> Evidence {
        guard let address else { return .none }
        guard case .domains(let named) = rulebook.policy.signUp, address.kind == .email,
            let domain = EmailDomain(ofAddress: address.value)
        else { return .addressProof }
        let isProven = if named.contains(domain.name) { true } else { try await domains.hasHolder(domain) }
        return Evidence(addressIsProved: true, domain: domain.name, domainIsProven: isProven)
    }
}
