internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// Signing a client in as itself.
extension LoginCommand {
    func validateCredentials() throws {
        guard credentials.clientCredentials else { return }
        guard methods.method == nil, !device, !isOperator, !fresh, !noBrowser, connection == nil else {
            throw ValidationError(
                """
                --client-credentials goes without --method, --device, --operator, --fresh, --no-browser and \
                --connection: no user signs in.
                """)
        }
    }

    /// Proves the secret by getting a token, and keeps both.
    func signInClient(_ choice: ServiceChoice, _ transport: NetworkTransport) async throws {
        guard choice.clientID != ServiceChoice.defaultClientID else {
            throw CommandFailure.refused("which client? Say --client-id ID.")
        }
        guard scope.map({ Scope($0) != nil }) ?? true else {
            throw CommandFailure.refused("--scope must be names with spaces between them.")
        }
        let asked = StoredClient(
            issuer: choice.issuer, clientID: choice.clientID, secret: try credentials.secret(Live.environment),
            scope: scope, resource: audience)
        let name = container.name
        let client = try await ClientFailure.explained(at: choice.issuer, advice, transport: transport) {
            let client = try await ClientTokens(transport: transport).renewed(asked)
            try await StoredClients().begin(client, as: name)
            return client
        }
        KnownContainers.live?.remember(choice, as: name)
        let place = await SessionPlace.find(StoredClients.place(name))
        let person = "the client \(VisibleText.shown(choice.clientID))"
        LoginReport(name: name, choice: choice, person: person, place: place).show(
            json: json,
            ["method": "client_credentials", "scope": .string(client.token?.scope ?? scope ?? "")])
    }
}
