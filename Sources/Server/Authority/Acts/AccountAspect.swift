/// A part of an account's row. A permission to change one part does not change another.
public enum AccountAspect: Hashable, Sendable, CaseIterable {
    /// Names, picture, language, accepted documents.
    case profile
    /// The operator's custom attributes.
    case attributes
    /// Login IDs, and the addresses for messages.
    case addresses
    /// Tenants and roles.
    case memberships
    /// Active, disabled, expired, invited.
    case status
    /// Invited, and from now on active.
    case acceptance
}

extension Act {
    /// What the act may change of an account's row.
    var aspects: Set<AccountAspect> {
        switch self {
        case .changeProfile: [.profile]
        case .changeAttributes: [.attributes]
        case .addAddress, .releaseAddress, .removeAddress, .choosePrimaryAddress, .changeUsername: [.addresses]
        // Whatever a stranger wrote into the account goes, once its owner has proved the address.
        case .proveAddress: [.addresses, .acceptance, .profile, .attributes, .memberships]
        case .acceptInvitation: [.acceptance]
        case .changeMemberships: [.memberships]
        case .changeStatus, .restoreAccess: [.status]
        default: []
        }
    }
}
