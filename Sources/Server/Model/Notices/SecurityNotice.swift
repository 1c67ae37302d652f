public import KeyturnBase

/// A change to an account of which its owner is told, because an attacker may have made it.
public enum SecurityNotice: Sendable {
    case passwordChanged
    /// A passkey was added, or switched on again.
    case passkeyAdded
    /// A passkey was removed or switched off.
    case passkeyRemoved
    case authenticatorAdded
    case authenticatorRemoved
    /// A device can sign in with a fingerprint or a face.
    case biometricKeyAdded
    case biometricKeyRemoved
    case addressAdded(Identifier)
    case addressRemoved(Identifier)
    /// An address was replaced by another.
    case addressChanged(from: Identifier?, to: Identifier)
    /// A refresh token was used a second time, so the session of an app was ended. Without a name: an app of the
    /// project.
    case sessionEnded(clientName: String?)
    /// Two clients use each refresh token of an app's session in turn. Without a name: an app of the project.
    case sessionShadowed(clientName: String?)
    /// A lost passkey or second factor can be removed from `readyAt` on, unless the linked page cancels it.
    case recoveryBegun(cancel: Secret, readyAt: UnixTime)
    case recoveryFinished
    /// An identity at a provider was linked: its user can sign in with it.
    case identityLinked
    case identityUnlinked
    /// Two accounts became one.
    case accountsMerged
    /// The user deleted the account.
    case accountDeleted
    /// New recovery codes took the place of those before.
    case recoveryCodesRenewed
    /// A sign-in on a new device, from a new country, or after impossible travel. The linked page disputes it: each
    /// address gets a link of its own.
    case newSignIn(dispute: @Sendable (Identifier) -> Secret, expiresAt: UnixTime)
    /// A client asks for a sign-in that the user approves on another device.
    case signInRequested(SignInRequest)

    /// What a notice says of a request for a sign-in. Never its number, which only the other device shows.
    public struct SignInRequest: Hashable, Sendable {
        public let clientName: String
        /// `binding_message`, as the other device shows it.
        public let bindingMessage: String?
        /// Names the request in the settings.
        public let name: String
        /// After this it is not sent any more.
        public let expiresAt: UnixTime

        public init(clientName: String, bindingMessage: String?, name: String, expiresAt: UnixTime) {
            self.clientName = clientName
            self.bindingMessage = bindingMessage
            self.name = name
            self.expiresAt = expiresAt
        }

        fileprivate var values: [String: String] {
            var values = [MessageValue.clientName: clientName, MessageValue.requestName: name]
            values[MessageValue.bindingMessage] = bindingMessage
            return values
        }
    }

    /// The kind of its message.
    var kind: MessageKind {
        switch self {
        case .passwordChanged: .passwordChanged
        case .passkeyAdded: .passkeyAdded
        case .passkeyRemoved: .passkeyRemoved
        case .authenticatorAdded: .authenticatorAdded
        case .authenticatorRemoved: .authenticatorRemoved
        case .biometricKeyAdded: .biometricKeyAdded
        case .biometricKeyRemoved: .biometricKeyRemoved
        case .addressAdded: .addressAdded
        case .addressRemoved: .addressRemoved
        case .addressChanged: .addressChanged
        case .sessionEnded: .sessionEnded
        case .sessionShadowed: .sessionShadowed
        case .recoveryBegun: .recoveryBegun
        case .recoveryFinished: .recoveryFinished
        case .identityLinked: .identityLinked
        case .identityUnlinked: .identityUnlinked
        case .accountsMerged: .accountsMerged
        case .accountDeleted: .accountDeleted
        case .recoveryCodesRenewed: .recoveryCodesRenewed
        case .signInRequested: .signInRequested
        case .newSignIn: .newSignIn
        }
    }

    /// An address that the owner had before the change.
    var formerAddress: Identifier? {
        switch self {
        case .addressRemoved(let address): address
        case .addressChanged(let old, _): old
        default: nil
        }
    }

    /// An address that is new with the change: the reader of the old ones decides whether it is the owner's.
    var newAddress: Identifier? {
        switch self {
        case .addressAdded(let address), .addressChanged(_, let address): address
        default: nil
        }
    }

    /// Whether telephones are told even if there is an email address.
    var goesEverywhere: Bool {
        switch self {
        case .recoveryBegun, .recoveryFinished, .accountDeleted: true
        default: false
        }
    }

    /// The values in the text beside time and place.
    var values: [String: String] {
        switch self {
        case .addressAdded(let address), .addressChanged(_, let address):
            [MessageValue.newAddress: Destination.mask(address.value)]
        case .addressRemoved(let address): [MessageValue.oldAddress: Destination.mask(address.value)]
        case .signInRequested(let request): request.values
        case .sessionEnded(let name), .sessionShadowed(let name): name.map { [MessageValue.clientName: $0] } ?? [:]
        case .recoveryBegun(_, let readyAt): [MessageValue.readyAt: readyAt.minuteText]
        default: [:]
        }
    }
}
