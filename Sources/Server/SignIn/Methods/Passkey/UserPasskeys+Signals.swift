public import KeyturnBase
internal import KeyturnWebAuthn
public import Model

/// Signals of pages to a device, so that it does not offer useless passkeys (WebAuthn Level 3 §5.1.10).
extension UserPasskeys {
    /// The signal that the credential of an answer is unknown here (§5.1.10.1).
    ///
    /// - Returns: `nil` if a user has it, whatever else was wrong: it may be good again later.
    public func unknownCredential(of answer: JSONValue) async throws(StoreError) -> JSONValue? {
        guard let response = try? AuthenticationResponse(answer: answer) else { return nil }
        return try await unknownCredential(response.id)
    }

    /// The signal that this credential is unknown here (§5.1.10.1).
    ///
    /// - Returns: `nil` if a user has it, or it is no possible identifier.
    public func unknownCredential(_ id: [UInt8]) async throws(StoreError) -> JSONValue? {
        guard let party = parties.own, (1...WebAuthnLimits.credentialIDBytes).contains(id.count),
            try await store.passkey(id, at: party.id) == nil
        else { return nil }
        return ["rpId": .string(party.id), "credentialId": .string(Base64URL.encode(id))]
    }

    /// The signal with the passkeys that are still good (WebAuthn Level 3 §5.1.10.2). The device removes others from
    /// its lists.
    ///
    /// - Returns: `nil` if there is nothing to signal.
    public func acceptedCredentials(of account: Account) async throws(StoreError) -> JSONValue? {
        guard let party = parties.own else { return nil }
        let known = try await store.passkeys(of: account.user.id, at: party.id)
        guard let handle = known.first?.record.userHandle else { return nil }
        let ids = known.filter { $0.record.userHandle == handle }.map {
            JSONValue.string(Base64URL.encode($0.record.id))
        }
        return [
            "rpId": .string(party.id), "userId": .string(Base64URL.encode(handle)),
            "allAcceptedCredentialIds": .array(ids),
        ]
    }

    /// The signal with the user's names (§5.1.10.3), which the device shows beside their passkeys.
    ///
    /// - Returns: `nil` if they have no passkey.
    public func userDetails(of account: Account) async throws(StoreError) -> JSONValue? {
        guard account.hasPasskey, let party = parties.own,
            let handle = try await store.passkeys(of: account.user.id, at: party.id).first?.record.userHandle
        else { return nil }
        let user = Self.user(account, handle: handle)
        return [
            "rpId": .string(party.id), "userId": .string(Base64URL.encode(handle)),
            "name": .string(user.name ?? ""), "displayName": .string(user.displayName ?? ""),
        ]
    }
}
