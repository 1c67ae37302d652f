internal import KeyturnWire

/// Who may open an account without an operator: `project.sign_up`. Pure; every way in asks here.
struct SignUpRules {
    let policy: SignUpPolicy

    /// - Returns: `nil`: the account may be opened.
    func denial(_ caller: Caller, _ evidence: Evidence) -> Denial? {
        switch caller {
        case .operator, .managementKey, .directory, .machine: return nil
        // An organisation decides who is in it, unless the operator closes even that.
        case .provider(tenant: .some): return policy == .off ? .refused(.signUp) : nil
        case .anonymous, .session, .recovery, .provider(tenant: nil): break
        }
        switch policy {
        case .open: return nil
        case .off: return .refused(.signUp)
        case .invited: return evidence.isInvited ? nil : .refused(.signUp)
        case .domains(let domains):
            if evidence.isInvited { return nil }
            guard let domain = evidence.domain else { return .missing(.addressProof) }
            return domains.contains(domain) || evidence.domainIsProven ? nil : .refused(.signUp)
        }
    }
}
