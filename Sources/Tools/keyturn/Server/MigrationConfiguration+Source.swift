internal import KeyturnJose
internal import OAuth
internal import SignIn
internal import Web

extension MigrationConfiguration {
    /// The source that the rules work with.
    func source(fetching client: RemoteKeyClient) -> MigrationSource {
        MigrationSource(
            issuer: issuer, audience: audience, subject: subject == .sub ? .sub : .email,
            keys: keysURI.map(client.keys) ?? StaticJWKS(keys ?? JSONWebKeySet(keys: [])))
    }
}
