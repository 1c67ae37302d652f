internal import KeyturnBase
internal import Model

/// A client that showed the token of its own entry. The registrar alone makes one.
public struct RegistrationHolder: Sendable {
    let client: Client
    let token: Secret
    let registration: ClientRegistration
}

/// Leave to register a client. The registrar alone gives it.
public struct RegistrationPermit: Sendable {}
