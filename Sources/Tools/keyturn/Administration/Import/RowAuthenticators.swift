internal import KeyturnBase
internal import Model
internal import SignIn

/// Seals what rows say of authenticators with the secrets of the server that will use them.
struct RowAuthenticators: Sendable {
    let stores: Stores
    let configuration: ServerConfiguration

    /// `users` with the authenticators of their rows.
    ///
    /// - Throws: ``CommandFailure`` if a row has one and the server's secrets are not at hand.
    func seal(_ rows: [UserRow], into users: [ImportedUser]) async throws -> [ImportedUser] {
        guard rows.contains(where: { $0.authenticator != nil }) else { return users }
        let seal = try await Self.seal(configuration, stores)
        return zip(rows, users).map { row, user in
            var user = user
            user.authenticator = row.authenticator.map { seal.store($0, isConfirmed: true) }
            return user
        }
    }

    /// The seal of the server that `configuration` describes.
    ///
    /// - Throws: ``CommandFailure`` if its secrets are not there, or did not seal what is in the database: what another
    ///   secret sealed, the server could never open, and its owner could not sign in any more.
    static func seal(_ configuration: ServerConfiguration, _ stores: Stores) async throws -> TOTPSeal {
        guard let keys = try SecretsFile.present(for: configuration), let secrets = ServerSecrets(keys) else {
            throw CommandFailure.refused(
                """
                authenticators are sealed with the server's secrets, and they are not beside this database. Name the \
                server's file with --config, or start the server once.
                """)
        }
        guard SecretsFile.opens(try await stores.keys.all(), with: keys, at: Ambient.live.now()) else {
            throw CommandFailure.refused(
                "these are not the secrets of the server that uses this database. Name its file with --config.")
        }
        return TOTPSeal(secrets, ambient: .live)
    }
}
