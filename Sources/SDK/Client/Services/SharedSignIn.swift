internal import KeyturnBase

/// Where the apps of one vendor on one device find each other's sign-in (OpenID Connect Native SSO for Mobile Apps 1.0).
///
/// All apps of the group name the same place, and register with one server. On Apple's systems that is a keychain group
/// which every one of them has among its entitlements; on Linux, the user's own keyring or a sealed file:
///
/// ```swift
/// let group = SharedSignIn(storage: .custom(KeychainStore(.init(accessGroup: "TEAMID.com.example.shared"))))
/// let auth = Keyturn(.keyturn(issuer: issuer, clientID: "mail").sharingSignIn(in: group))
/// ```
///
/// The sessions of the group are bound to one key, which lies there as well: the server takes the first app's sign-in only
/// with a proof of its key.
public struct SharedSignIn: Sendable {
    let storage: SessionStorage
    let deviceKeys: (any DeviceKeys)?
    let group: String

    /// A place that every app of the group can read and write.
    ///
    /// - Parameters:
    ///   - storage: The place. ``SessionStorage/memory`` shares among the containers that are given this very value.
    ///   - deviceKeys: Where the key of the group lies; `nil`: in `storage`, on Linux in the TPM if all may use one. It
    ///     takes the place of the containers' own.
    ///   - group: Tells groups in one place apart; any string.
    public init(storage: SessionStorage = .automatic, deviceKeys: (any DeviceKeys)? = nil, group: String = "vendor") {
        // One store for all containers that share this value.
        if case .memory = storage { self.storage = .custom(MemoryStore()) } else { self.storage = storage }
        self.deviceKeys = deviceKeys
        self.group = group
    }

    /// What the records of the group are called at one issuer.
    func name(_ issuer: String) -> String { "native-sso/\(group)/\(issuer)" }
}

extension Service {
    /// Whether a device secret beside the tokens is for this library.
    var receivesDeviceSecrets: Bool { wire.authgear != nil || sharedSignIn != nil || asksForPages }

    /// The same service, whose apps on this device sign in once (Native SSO): after the first one has signed a user in, the
    /// others do so with ``NativeSSO/signIn(scope:)``, without a page.
    ///
    /// Sign-ins with the browser then ask for the scope `device_sso`, which the client must have registered. Sessions
    /// that began before stay bound to their own keys. No effect at services that share no sign-ins: Authgear, those with
    /// many tenants, and those without ID tokens.
    ///
    /// - Parameter group: The place that all apps name.
    public func sharingSignIn(in group: SharedSignIn) -> Service {
        var service = self
        service.sharedSignIn = issuesIDTokens && wire.authgear == nil && tenants == nil ? group : nil
        return service
    }
}
