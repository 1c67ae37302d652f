internal import Crypto
internal import KeyturnBase
internal import KeyturnWebAuthn

/// The authenticator without its browser: the caller gives the digest of its own client data.
extension SoftwareAuthenticator {
    struct MadeCredential {
        let id: [UInt8]
        let format: String
        let statement: CBORValue
        let authenticatorData: [UInt8]
    }

    struct SignedAssertion {
        let id: [UInt8]
        let authenticatorData: [UInt8]
        let signature: [UInt8]
        let userHandle: [UInt8]?
    }

    /// - Parameter algorithms: COSE numbers, the preferred ones first.
    mutating func makeCredential(
        rpID: String, userHandle: [UInt8], algorithms: [Int64], excluded: [[UInt8]], clientDataHash: [UInt8]
    ) throws -> MadeCredential {
        let known = Set(credentials.filter { $0.rpID == rpID }.map(\.id))
        guard known.isDisjoint(with: excluded) else { throw Refusal.excluded }
        let wanted = algorithms.compactMap(COSEAlgorithm.init(rawValue:))
        guard let algorithm = wanted.first(where: behaviour.algorithms.contains) else { throw Refusal.noAlgorithm }
        let key = try CredentialKey(algorithm, seed: derived("key"))
        var credential = Credential(
            id: derived("id"), rpID: rpID, userHandle: userHandle, key: key, signCount: 0)
        credential.signCount = behaviour.counterStep
        made += 1
        let attested = behaviour.aaguid.bytes + Self.sized(credential.id) + key.publicKey.encoded
        let data = authenticatorData(credential, attested: attested)
        let statement = try self.statement(key, signed: data + clientDataHash)
        credentials.append(credential)
        return MadeCredential(
            id: credential.id, format: statement.format, statement: statement.value, authenticatorData: data)
    }

    /// The matching credentials, the newest first.
    func fitting(rpID: String, allowed: [[UInt8]]) -> [[UInt8]] {
        credentials.reversed().filter {
            $0.rpID == rpID && (allowed.isEmpty ? behaviour.isResident : allowed.contains($0.id))
        }.map(\.id)
    }

    func newest(rpID: String, allowed: [[UInt8]]) throws -> [UInt8] {
        guard let id = fitting(rpID: rpID, allowed: allowed).first else { throw Refusal.noCredential }
        return id
    }

    mutating func sign(with id: [UInt8], clientDataHash: [UInt8]) throws -> SignedAssertion {
        guard let index = credentials.firstIndex(where: { $0.id == id }) else { throw Refusal.noCredential }
        credentials[index].signCount &+= behaviour.counterStep
        let credential = credentials[index]
        let data = authenticatorData(credential, attested: nil)
        return SignedAssertion(
            id: credential.id, authenticatorData: data,
            signature: try credential.key.signature(for: data + clientDataHash),
            userHandle: behaviour.isResident ? credential.userHandle : nil)
    }
}
