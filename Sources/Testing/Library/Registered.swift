internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// What a test wrote as plain values, as the server keeps it.
extension TestClient {
    func registered() throws -> Client {
        guard Scope(scope) != nil else { throw TestProblem("the client \(id) has no readable scope: \"\(scope)\"") }
        var metadata = ClientMetadata()
        metadata.clientName = id
        metadata.redirectURIs = redirectURIs
        metadata.grantTypes =
            [GrantType.authorizationCode, .refreshToken].map(\.rawValue)
            + (secret == nil ? [] : [GrantType.clientCredentials.rawValue])
        metadata.tokenEndpointAuthMethod = secret == nil ? "none" : "client_secret_basic"
        metadata.scope = scope
        metadata.idTokenSignedResponseAlg = "ES256"
        metadata.applicationType = secret == nil ? "native" : "web"
        metadata.backchannelLogoutURI = backchannelLogoutURI
        return Client(
            id: id, metadata: metadata, secretDigests: secret.map { [SecretDigest(of: Secret($0))] } ?? [],
            isFirstParty: !asksForConsent, allowsPrivateLogoutAddress: true)
    }
}

extension TestUser {
    func account(_ services: IdentityServices) async throws -> Account {
        let now = services.ambient.now()
        var claims = claims
        claims["email"] = .string(email)
        claims["email_verified"] = true
        if let phone {
            claims["phone_number"] = .string(phone)
            claims["phone_number_verified"] = true
        }
        var identifiers: [Identifier: Account.IdentifierState] = [:]
        for (name, mark) in [(email, "@"), (phone ?? "", "+")] where name != "" || mark == "@" {
            guard name.contains(mark), let identifier = Identifier(loginID: name) else {
                throw TestProblem("\"\(name)\" is no email address, or no phone number such as +15551234567")
            }
            identifiers[identifier] = .verified
        }
        var hash: String?
        if let password { hash = try await services.passwords.hash(Secret(password)) }
        return Account(
            user: User(id: UserID(rawValue: subject), claims: claims, createdAt: now, updatedAt: now),
            identifiers: identifiers, passwordHash: hash)
    }
}
