internal import KeyturnBase
internal import KeyturnWire

/// Sets a key up: first it is noted that there will be one, then it is made, then the service is told, then it counts.
///
/// Whatever fails in between removes it again; a program that ends in between leaves the note, and a program that reads
/// that removes the key.
struct BiometricEnrolment {
    let auth: Keyturn
    let prompt: BiometricPrompt

    private var memory: BiometricMemory { auth.biometricMemory }

    func run() async throws(AuthError) {
        try memory.device.checkRemembered(isForgotten: memory.isForgotten)
        try await memory.device.checkSupport(prompt.policy)
        // Before the person is bothered: it has to last until they have touched.
        _ = try await auth.accessToken(minimumSeconds: Limits.biometricPatienceSeconds)
        let lock = try await memory.store.lock(memory.place, timeoutSeconds: Limits.lockSeconds)
        guard let lock else {
            throw AuthError(.storeUnavailable, "another container is still setting a key up")
        }
        do throws(AuthError) {
            try await replaceKey()
            await lock.unlock()
        } catch {
            await lock.unlock()
            throw error
        }
    }

    /// For the holder of the lock: no other program is making a key.
    private func replaceKey() async throws(AuthError) {
        let subject = await auth.knownSubject()
        let before = try await memory.read()
        for id in before.leftovers { try await memory.device.removeKey(BiometricMemory.name(id)) }
        let id = auth.ambient.randomToken(byteCount: 24)
        var noted = before.next(key: before.key, leftovers: [id])
        try await replace(before, by: noted)
        do throws(AuthError) {
            let key = try await memory.device.makeKey(BiometricMemory.name(id), prompt)
            try await setUp(key, id, for: subject)
            let made = BiometricRecord.Key(id: id, client: memory.client, subject: subject)
            let next = noted.next(key: made, leftovers: before.key.map { [$0.id] } ?? [])
            try await replace(noted, by: next)
            noted = next
        } catch {
            await withdraw(id, before, noted)
            throw error
        }
        await removeOld(noted)
        guard try await memory.key(of: auth.knownSubject())?.id == id else {
            throw AuthError(.signedOut, "somebody else has signed in meanwhile")
        }
    }

    private func replace(_ old: BiometricRecord, by new: BiometricRecord) async throws(AuthError) {
        guard try await memory.store.write(new.stored, for: memory.place, when: old.condition) == .done else {
            // Only a sign-in by other means does that without the lock.
            throw AuthError(.signedOut, "somebody has signed in meanwhile")
        }
    }

    /// What is left of it is noted, and removed later.
    private func withdraw(_ id: String, _ before: BiometricRecord, _ noted: BiometricRecord) async {
        do throws(AuthError) {
            try await memory.device.removeKey(BiometricMemory.name(id))
            if before.key == nil {
                _ = try await memory.store.remove(memory.place, when: noted.condition)
            } else {
                try await replace(noted, by: noted.next(key: before.key, leftovers: []))
            }
        } catch {}
    }

    private func removeOld(_ record: BiometricRecord) async {
        do throws(AuthError) {
            for id in record.leftovers { try await memory.device.removeKey(BiometricMemory.name(id)) }
            if !record.leftovers.isEmpty { try await replace(record, by: record.next(key: record.key, leftovers: [])) }
        } catch {}
    }

    /// Proves to the service that the key is here, and whose it is to be.
    private func setUp(_ key: any BiometricKey, _ id: String, for subject: String?) async throws(AuthError) {
        let request = try await SignedKeyRequest(
            .setup, key, id: id, isNew: true, prompt: prompt, deviceInfo: auth.deviceInfo(), at: auth.provider)
        var token = try await auth.accessToken()
        guard await auth.knownSubject() == subject else {
            throw AuthError(.signedOut, "somebody else has signed in meanwhile")
        }
        for isLast in [false, true] {
            do throws(AuthError) {
                let endpoint = try await auth.provider.tokenEndpoint()
                let fields = try await auth.authorization(presenting: token, method: "POST", url: endpoint)
                return try await auth.provider.setUp(biometricRequest: request.jwt, authorization: fields)
            } catch {
                guard error.server?.status == 401, !isLast else { throw error }
                // A server that wants its nonce in the proof has told it; any other has had enough of the token.
                guard error.server?.code != OAuthProblem.Code.useDPoPNonce.rawValue else { continue }
                token = try await auth.replacement(for: token)
            }
        }
    }
}
