internal import KeyturnBase
internal import Model

/// A client that presented the token of its own entry. Only the registrar makes one.
public struct RegistrationHolder: Sendable {
    let client: Client
    let token: Secret
    let registration: ClientRegistration
}

/// Permission to register a client. Only the registrar gives it.
public struct RegistrationPermit: Sendable {}
