internal import Authority
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

extension RegistrationHolder {
    /// What the client's registration access token permits for its own entry (RFC 7592 §2).
    func permission<A: SingleAct>(_ act: A.Type) throws(StoreError) -> Allowed<A> {
        try Rulebook(AuthorityPolicy()).permission(
            act, to: .anonymous, on: .client(client.id), showing: .registration)
    }
}

extension RegistrationPermit {
    /// What the registrar's word permits: to add one client (RFC 7591 §3).
    func permission(for clientID: String) throws(StoreError) -> Allowed<Acts.RegisterClient> {
        try Rulebook(AuthorityPolicy()).permission(
            Acts.RegisterClient.self, to: .anonymous, on: .client(clientID), showing: .registration)
    }
}
