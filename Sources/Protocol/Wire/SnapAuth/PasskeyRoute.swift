/// The paths of the passkey service's wire. Each is a `POST` with a JSON object.
public enum PasskeyRoute: String, CaseIterable, Hashable, Sendable {
    /// Begins a registration. Publishable key.
    case attestationOptions = "/attestation/options"
    /// Ends a registration: gives a token that ``credentialCreate`` redeems. Publishable key.
    case attestationProcess = "/attestation/process"
    /// Begins an authentication. Publishable key.
    case assertionOptions = "/assertion/options"
    /// Ends an authentication: gives a token that ``authVerify`` redeems. Publishable key.
    case assertionProcess = "/assertion/process"
    /// Redeems a registration's token: binds the credential to a user. Secret key.
    case credentialCreate = "/credential/create"
    /// Redeems an authentication's token: says who it was. Secret key.
    case authVerify = "/auth/verify"
    /// A user's credentials. Secret key; our addition.
    case credentialList = "/credential/list"
    /// Renames, deactivates or activates a credential. Secret key; our addition.
    case credentialUpdate = "/credential/update"
    /// Deletes a credential. Secret key; our addition.
    case credentialDelete = "/credential/delete"
    /// Adds credentials that were registered with another service. Secret key; our addition.
    case credentialImport = "/credential/import"

    /// The path.
    public var path: String { rawValue }

    /// The path under which an older generation of clients knows the route.
    public var alias: String? {
        switch self {
        case .attestationOptions: "/registration/createOptions"
        case .attestationProcess: "/registration/process"
        case .assertionOptions: "/auth/createOptions"
        case .assertionProcess: "/auth/process"
        case .credentialCreate: "/registration/attach"
        case .authVerify, .credentialList, .credentialUpdate, .credentialDelete, .credentialImport: nil
        }
    }

    /// Every path of the route, the current one first.
    public var paths: [String] { [path] + (alias.map { [$0] } ?? []) }

    /// Whether an app calls it, with its publishable key; else a backend calls it, with its secret key.
    public var isForClients: Bool {
        switch self {
        case .attestationOptions, .attestationProcess, .assertionOptions, .assertionProcess: true
        case .credentialCreate, .authVerify, .credentialList, .credentialUpdate, .credentialDelete,
            .credentialImport:
            false
        }
    }

    /// The route at `path`, be it the current path or the alias.
    public init?(path: String) {
        guard let route = Self.allCases.first(where: { $0.paths.contains(path) }) else { return nil }
        self = route
    }
}
