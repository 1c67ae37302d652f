/// What a message is about. Each kind has its own text in every language, for every channel.
public enum MessageKind: String, CaseIterable, Hashable, Sendable {
    /// A one-time code to type in.
    case code
    /// A link that signs in the user who opens it and confirms.
    case magicLink = "magic-link"
    /// Three links with numbers, of which one is right: the device that asked shows which.
    case enchantedLink = "enchanted-link"
    /// A link to choose a new password.
    case passwordReset = "password-reset"
    /// A code or a link that verifies that a new address is the user's own.
    case verifyAddress = "verify-address"
    /// To the old address: it was replaced.
    case addressChanged = "address-changed"
    /// To the former address: another one was added beside it.
    case addressAdded = "address-added"
    /// To the owner of an account: a sign-up with this address was tried.
    case alreadyRegistered = "already-registered"
    /// To an address without an account, if the operator wants that.
    case unknownAccount = "unknown-account"
    /// An invitation to a project, with a link to accept it.
    case invitation
    /// A sign-in from a device that was not seen before.
    case newSignIn = "new-sign-in"
    /// The password was changed.
    case passwordChanged = "password-changed"
    /// An authenticator app was set up.
    case authenticatorAdded = "authenticator-added"
    /// A passkey was added to the account, or switched on again: told to its owner.
    case passkeyAdded = "passkey-added"
    /// A passkey was removed or switched off: told to its owner.
    case passkeyRemoved = "passkey-removed"
    /// An authenticator app was removed: told to its owner.
    case authenticatorRemoved = "authenticator-removed"
    /// A device can sign in with a fingerprint or a face: told to the owner of the account.
    case biometricKeyAdded = "biometric-key-added"
    case biometricKeyRemoved = "biometric-key-removed"
    /// To the address that was taken out of the account, and to those that stay.
    case addressRemoved = "address-removed"
    /// The session of an app was ended because its refresh token was used twice.
    case sessionEnded = "session-ended"
    /// The refresh tokens of an app's session are used by two clients in turn.
    case sessionShadowed = "session-shadowed"
    /// A code with which a user begins to remove a lost second factor, after the password.
    case recoveryProof = "recovery-proof"
    /// A lost passkey or second factor can be removed soon, unless the owner cancels.
    case recoveryBegun = "recovery-begun"
    /// A lost passkey or second factor was removed.
    case recoveryFinished = "recovery-finished"
    /// An identity at a provider was linked: its user can sign in with it.
    case identityLinked = "identity-linked"
    case identityUnlinked = "identity-unlinked"
    /// Two accounts became one: told at the addresses of both.
    case accountsMerged = "accounts-merged"
    /// The user deleted the account: told at each of its addresses.
    case accountDeleted = "account-deleted"
    /// New recovery codes took the place of those before.
    case recoveryCodesRenewed = "recovery-codes-renewed"
    /// A client asks for a sign-in that the user approves in the settings.
    case signInRequested = "sign-in-requested"
    /// To the contact of a connection: its provider's certificate ends soon, or has ended.
    case certificateExpiring = "certificate-expiring"
}
