internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// What a vault works with: the container's keeper, the records, the key service, the device that recognises people.
struct VaultAccess: Sendable {
    let service: Service
    let keeper: SessionKeeper
    let provider: OpenIDProvider
    let records: VaultRecords
    let device: any BiometricDevice
    let transport: any HTTPTransport
    let ambient: Ambient
    /// Whether a session that is not in the vault ends with the process anyway.
    let isPlainInMemory: Bool
    /// Whether the vault itself ends with the process.
    let isForgotten: Bool
    /// Tells when the app goes and comes.
    let notices: any AppNotices
    let background = BackgroundWatch()

    /// - Throws: `service.unsupported` if the service has no keys.
    func keyService() throws(AuthError) -> KeyService {
        guard let url = service.keyServiceURL else {
            throw AuthError(.unsupported, "the service \(service.kind.rawValue) has no key service")
        }
        return KeyService(baseURL: url, transport: transport, ambient: ambient)
    }

    /// The name under which the device keeps what opens a key.
    func secretName(_ keyID: String) async -> String {
        let slot = try? await (records.store as? any PlacedStore)?.slot()
        return "\(slot ?? records.container)/vault/\(keyID)"
    }

    /// The record of a user who was stored before.
    ///
    /// - Throws: `vault.incomplete` if there is certainly none; `store.unavailable` if it cannot be known.
    func require(_ user: String) async throws(AuthError) -> VaultRecord {
        guard let found = try await records.find(user) else {
            throw AuthError(.vaultIncomplete, "nothing is kept for this user")
        }
        return found.record
    }

    /// Presents the session that counts to the key service, if that is the same server's: the key is then its user's.
    /// Tokens that a method made are for another audience.
    ///
    /// - Returns: empty if there is no such session, or no token without waiting long.
    func authorization(of user: String, method: String, url: String) async -> KeyService.Headers {
        guard service.wire.keysHaveOwners, let record = await keeper.machine.record, record.userID == user,
            record.projectID == nil
        else { return [] }
        do throws(AuthError) {
            let token = try await keeper.accessToken(minimumSeconds: 5)
            let thumbprint = try await keeper.keyThumbprint(of: token)
            return try await provider.authorization(token, boundTo: thumbprint, method: method, url: url)
        } catch {
            return []
        }
    }

    /// Has the key removed where it lies, if its owner is signed in. What cannot be reached keeps it: it opens nothing
    /// any more.
    ///
    /// - Returns: Whether it is gone.
    @discardableResult
    func deleteKey(_ keyID: String, of user: String) async -> Bool {
        guard let service = try? keyService(), let url = try? service.ownersURL(keyID) else { return false }
        let authorization = await authorization(of: user, method: "DELETE", url: url)
        guard !authorization.isEmpty else { return false }
        return (try? await service.deleteKey(keyID, authorization: authorization)) != nil
    }
}

/// A key as it came, with what it opens with.
struct FetchedKey: Sendable {
    let opened: OpenedVault
    let longSecret: Secret?

    init(_ answer: KeyServiceAnswer, of user: String) throws(AuthError) {
        opened = OpenedVault(user: user, keyID: answer.keyID, key: try DataKey(base64: answer.key))
        longSecret = answer.longSecret
    }
}
