internal import CPKCS11
internal import Crypto
internal import KeyturnJose
internal import Synchronization

/// One key of a token.
final class PKCS11Signer: ExternalSigner {
    let publicMaterial: JSONWebKey.Material
    private let sessions: PKCS11Sessions
    private let id: [UInt8]
    /// Whether the last signature failed.
    private let isAway = Atomic(false)
    private let isTried = Atomic(false)

    init(_ sessions: PKCS11Sessions, id: [UInt8], publicMaterial: JSONWebKey.Material) {
        self.sessions = sessions
        self.id = id
        self.publicMaterial = publicMaterial
    }

    /// Whether the key is on a curve; otherwise it is RSA.
    private var isElliptic: Bool {
        if case .ec = publicMaterial { true } else { false }
    }

    /// After a failure one caller at a time tries whether it signs again.
    var isReady: Bool {
        guard isAway.load(ordering: .relaxed) else { return true }
        guard !isTried.exchange(true, ordering: .relaxed) else { return false }
        defer { isTried.store(false, ordering: .relaxed) }
        return (try? signature(for: [], isElliptic ? .es256 : .rs256)) != nil
    }

    func signature(for message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
        do throws(PKCS11Problem) {
            let signature = try sign(message)
            isAway.store(false, ordering: .relaxed)
            return signature
        } catch {
            isAway.store(true, ordering: .relaxed)
            throw error
        }
    }

    private func sign(_ message: [UInt8]) throws(PKCS11Problem) -> [UInt8] {
        // ECDSA signs a digest that was made outside; its answer is r and s, as JWS wants them (RFC 7518 §3.4).
        let data = isElliptic ? Array(SHA256.hash(data: message)) : message
        let mechanism = CK_MECHANISM_TYPE(isElliptic ? CKM_ECDSA : CKM_SHA256_RSA_PKCS)
        let signature = try sessions.run { (session) throws(PKCS11Problem) in
            try session.signature(of: data, by: try session.find(CKO_PRIVATE_KEY, id), mechanism)
        }
        guard !isElliptic || signature.count == 64 else { throw .malformed }
        return signature
    }
}
