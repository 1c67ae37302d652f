internal import KeyturnBase

/// Keys that are to be removed at the key service, and could not be yet: the service wants their owner, who was not
/// signed in, or it could not be reached. Kept in the store until it is done, so that ending the program forgets none.
extension VaultRecords {
    private var removalsPlace: String { container + "/vault-removals" }

    /// A key and whose it is.
    struct Removal: Hashable, Sendable {
        let keyID: String
        let user: String
    }

    /// What is still to be removed, the oldest first. What cannot be read now counts as nothing.
    func removals() async -> [Removal] {
        (try? await foundRemovals()?.removals) ?? []
    }

    /// Remembers a key until it is removed. Of more than there may be, the oldest is given up: it opens nothing.
    func remember(_ removal: Removal) async throws(AuthError) {
        try await updateRemovals { removals in
            guard !removals.contains(removal) else { return }
            removals = removals.suffix(Limits.keyRemovalsMax - 1) + [removal]
        }
    }

    /// The key is gone.
    func forget(_ removal: Removal) async throws(AuthError) {
        try await updateRemovals { $0.removeAll { $0 == removal } }
    }

    private func foundRemovals() async throws(AuthError) -> (removals: [Removal], generation: Generation)? {
        switch await store.read(removalsPlace) {
        case .absent: return nil
        case .unavailable(let error): throw error
        case .found(let stored):
            let keys = (try? JSONValue(parsing: stored.contents))?["keys"]?.arrayValue ?? []
            let removals = keys.compactMap { key -> Removal? in
                guard let keyID = key["key_id"]?.stringValue, let user = key["user"]?.stringValue else { return nil }
                return Removal(keyID: keyID, user: user)
            }
            return (removals, stored.generation)
        }
    }

    private func updateRemovals(_ change: (inout [Removal]) -> Void) async throws(AuthError) {
        for _ in 0..<Limits.vaultRetries {
            let found = try await foundRemovals()
            var next = found?.removals ?? []
            change(&next)
            guard next != found?.removals ?? [] else { return }
            let keys = next.map { removal -> JSONValue in
                ["key_id": .string(removal.keyID), "user": .string(removal.user)]
            }
            let contents = JSONValue.object(["version": 1, "keys": .array(keys)]).serialized
            let generation =
                found?.generation.next ?? Generation(signIn: ambient.randomToken(byteCount: 16), number: 1)
            let condition = found.map { StoreCondition.generation($0.generation) } ?? .absent
            let outcome =
                next.isEmpty
                ? try await store.remove(removalsPlace, when: condition)
                : try await store.write(
                    StoredRecord(generation: generation, contents: contents), for: removalsPlace, when: condition)
            if outcome == .done { return }
        }
        throw AuthError(.storeUnavailable, "the vault changes all the time")
    }
}

extension VaultAccess {
    /// Has the key of a user who is cleared removed where it lies. If that is impossible now, it is remembered, and
    /// tried again when the user has signed in on this device.
    ///
    /// - Parameter password: Opens the key, and removes it without its owner signed in.
    /// - Returns: Whether the key is gone.
    /// - Throws: `vault.wrong_password`, which counts; `store.unavailable`.
    func removeKey(_ keyID: String, of user: String, password: Secret?) async throws(AuthError) -> Bool {
        guard let service = try? keyService() else { return false }
        if let password {
            do throws(AuthError) {
                try await service.deleteKey(keyID, secret: password)
                return true
            } catch {
                switch error.code {
                case .vaultWrongPassword: throw error
                case .vaultKeyMissing: return true
                default: break
                }
            }
        }
        // Without owners there is no user whose sign-in could remove it later.
        guard self.service.wire.keysHaveOwners else { return false }
        let removal = VaultRecords.Removal(keyID: keyID, user: user)
        // A full disk keeps no user from being cleared: the key then stays where it is, and opens nothing.
        let isRemembered = (try? await records.remember(removal)) != nil
        guard await deleteKey(keyID, of: user) else { return false }
        if isRemembered { try await records.forget(removal) }
        return true
    }

    private enum KeyInUse {
        case known(String?)
        case unknown
    }

    private func keyInUse(of user: String) async -> KeyInUse {
        do throws(AuthError) {
            return .known(try await records.find(user)?.record.keyID)
        } catch {
            return .unknown
        }
    }

    /// Tries again what was impossible before, for the user who is signed in now. Failing changes nothing.
    func retryRemovals(of user: String) async {
        for removal in await records.removals() where removal.user == user {
            switch await keyInUse(of: user) {
            case .unknown: return
            case .known(removal.keyID):
                // The process ended before the user was cleared: the key still opens what is stored.
                try? await records.forget(removal)
                continue
            case .known: break
            }
            guard await deleteKey(removal.keyID, of: user) else { return }
            try? await records.forget(removal)
        }
    }
}
