internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWebAuthn
public import KeyturnWire
public import Model

/// Passkeys that were registered with another service: a backend brings them along.
extension SitePasskeys {
    /// Adds passkeys of the relying party's users, all of them or none. One transaction.
    ///
    /// The private keys are not asked for a proof: the backend, known by its secret key, vouches for the list.
    ///
    /// - Returns: the passkeys, in the order of the list.
    /// - Throws: ``SiteProblem/attestationDemanded``; ``SiteImportProblem``; ``StoreError``.
    public func importPasskeys(
        _ imported: [ImportedPasskey], at party: RelyingParty
    ) async throws -> [StoredPasskey] {
        // What only trusted authenticators may do is not done by a list.
        guard party.policy.attestation.acceptsNone else { throw SiteProblem.attestationDemanded }
        let now = ambient.now()
        var seen: Set<[UInt8]> = []
        var additions: [SitePasskey] = []
        for (index, each) in imported.enumerated() {
            do throws(Refusal) {
                guard seen.insert(each.rawID).inserted else { throw Refusal(.taken) }
                additions.append(try addition(each, at: party, now))
            } catch {
                throw SiteImportProblem(index: index, reason: error.reason)
            }
        }
        if let refusal = try await store.addAll(additions, max: Limits.passkeysOfUserMax, at: party.id) {
            throw SiteImportProblem(index: refusal.index, reason: .init(refusal.reason))
        }
        for each in additions { note(.passkeyAdded, each.passkey.id, at: party) }
        return additions.map(\.passkey)
    }

    private struct Refusal: Error {
        let reason: SiteImportProblem.Reason

        init(_ reason: SiteImportProblem.Reason) {
            self.reason = reason
        }
    }

    private func addition(
        _ imported: ImportedPasskey, at party: RelyingParty, _ now: UnixTime
    ) throws(Refusal) -> SitePasskey {
        let key: COSEKey
        do throws(WebAuthnProblem) {
            key = try Self.key(imported.publicKey)
        } catch {
            throw Refusal(.keyInvalid(detail: error.detail))
        }
        guard let user = names.user(id: imported.userID, username: imported.username, at: party) else {
            throw Refusal(.userInvalid)
        }
        guard let aaguid = imported.aaguid.map({ AAGUID($0) }) ?? .zero else { throw Refusal(.aaguidInvalid) }
        guard imported.transports.allSatisfy(Self.isTransport),
            Set(imported.transports).count == imported.transports.count
        else { throw Refusal(.transportInvalid) }
        let createdAt = imported.createdAt ?? now
        guard createdAt <= now else { throw Refusal(.createdLater) }
        let record = CredentialRecord(
            id: imported.rawID, userHandle: imported.userHandle, publicKey: key.encoded,
            signCount: imported.signCount, uvInitialized: imported.isUvInitialized, transports: imported.transports,
            backupEligible: imported.isBackupEligible, backupState: imported.isBackedUp, aaguid: aaguid)
        var name = AAGUIDNames.name(of: record)
        if let given = imported.name {
            guard let text = PasskeyName(given)?.text else { throw Refusal(.nameInvalid) }
            name = text
        }
        return SitePasskey(
            StoredPasskey(
                id: .make(ambient), relyingParty: party.id, record: record, name: name, attestationFormat: "none",
                createdAt: createdAt),
            of: user)
    }

    /// The key in the form that is stored, whatever form it came in.
    private static func key(_ key: PasskeyPublicKey) throws(WebAuthnProblem) -> COSEKey {
        switch key {
        case .cose(let bytes): return try COSEKey(bytes)
        case .spki(let bytes, let algorithm):
            return try Self.key(try JSONWebKey(subjectPublicKeyInfo: bytes), algorithm)
        case .jwk(let json, let algorithm):
            let key: JSONWebKey
            do throws(JoseProblem) {
                key = try JSONWebKey(json)
            } catch {
                throw WebAuthnProblem(.keyInvalid, error.detail)
            }
            return try Self.key(key, algorithm)
        }
    }

    private static func key(_ key: JSONWebKey, _ number: Int64?) throws(WebAuthnProblem) -> COSEKey {
        guard let number else {
            guard let algorithm = COSEAlgorithm.only(of: key) else {
                throw WebAuthnProblem(.keyInvalid, "algorithm is missing: RSA keys have several")
            }
            return try COSEKey(key, algorithm: algorithm)
        }
        guard let algorithm = COSEAlgorithm(rawValue: number) else {
            throw WebAuthnProblem(.algorithmUnsupported, "COSE algorithm \(number) is not supported")
        }
        return try COSEKey(key, algorithm: algorithm)
    }

    private static func isTransport(_ text: String) -> Bool {
        (1...WebAuthnLimits.transportBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
