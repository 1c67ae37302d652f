internal import Keyturn
internal import KeyturnBase

/// What is signed in under the name already.
extension LoginCommand {
    /// A name stands for one client at one server, and for its users or for itself. Signing in otherwise would silently
    /// end the first session.
    func refuseOther(than choice: ServiceChoice) async throws {
        guard let other = try await storedClient(choice) else { return }
        let isSame = other.issuer == choice.issuer && other.clientID == choice.clientID
        guard !isSame || other.isItself != credentials.clientCredentials else { return }
        let what = other.isItself ? "the credentials" : "a session"
        throw CommandFailure.refused(
            """
            the name \(VisibleText.shown(container.name)) holds \(what) of \(VisibleText.shown(other.clientID)) at \
            \(VisibleText.shown(other.issuer)). Run `\(advice.command(["logout"]))` first, or choose another --name.
            """)
    }

    private struct Stored {
        let issuer: String
        let clientID: String
        /// Whether the client signed in as itself.
        let isItself: Bool
    }

    /// Whose session the name has; `nil`: no user's and no client's, or one that can never be used again and gives way.
    private func storedClient(_ choice: ServiceChoice) async throws -> Stored? {
        do throws(AuthError) {
            if let auth = try await Keyturn.stored(name: container.name, transport: NetworkTransport()) {
                return Stored(issuer: auth.service.issuer, clientID: auth.service.clientID, isItself: false)
            }
            let client = try await StoredClients().find(container.name)?.client
            return client.map { Stored(issuer: $0.issuer, clientID: $0.clientID, isItself: true) }
        } catch {
            switch error.code {
            case .storeKeyLost: return nil
            case .storeUnavailable:
                // The library knows which of these a sign-in may replace. Whose it is, it cannot know.
                return KnownContainers.live?.read()[container.name].map { known in
                    let isItself = known.how.contains("--client-credentials")
                    return Stored(issuer: known.issuer, clientID: known.clientID, isItself: isItself)
                }
            default: throw ClientFailure.failure(for: error, advice: advice)
            }
        }
    }
}
