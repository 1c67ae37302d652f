internal import Identity
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// Which settings actions this server offers, as its operator configured it.
struct SettingsActionOffers: Sendable {
    let services: IdentityServices
    /// The addresses that messages can be sent to.
    let reach: DeliveryReach
    /// The way to identity providers.
    let gate: FederationGate

    /// Whether the action of a transaction is offered.
    func offers(_ action: SettingsAction, _ transaction: AuthorizationTransaction) -> Bool {
        switch action {
        case .changePassword: services.methods.offers(PasswordMethods.self)
        case .verifyEmail, .addEmail, .changeEmail: reach.kind == .email || reach.kind == .emailOrPhone
        case .addPhone, .changePhone: reach.kind == .phone || reach.kind == .emailOrPhone
        case .addUsername, .changeUsername: services.methodSettings.offersUsernames
        case .linkOAuth: transaction.providerAlias.flatMap(gate.connection) != nil
        // Also one that is switched off: it must be possible to leave it.
        case .unlinkOAuth: transaction.providerAlias.flatMap(services.connections.connection) != nil
        case .setupTOTP, .removeTOTP: services.methods.offers(TOTPAuthenticators.self)
        case .setupRecoveryCodes: services.methods.offers(RecoveryCodes.self)
        case .addPasskey, .removePasskey: services.methods.offers(UserPasskeys.self)
        default: action == .deleteAccount
        }
    }
}
