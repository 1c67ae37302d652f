internal import CPKCS11
public import KeyturnBase
public import KeyturnJose
public import Model

/// Signing keys in a PKCS #11 token: they sign there, and cannot be read.
public struct PKCS11Token: SigningKeyProvider {
    private let sessions: PKCS11Sessions
    private let label: String
    private let ambient: Ambient

    /// What objects are called, for people who look into the token.
    private static let objectLabel = "Keyturn signing key"
    private static let rsaBits: CK_ULONG = 2_048
    private static let idBytes = 16
    private static let scheme = "pkcs11:"

    /// Loads the module and signs in.
    ///
    /// - Parameters:
    ///   - module: the file of the module, such as `/usr/lib/softhsm/libsofthsm2.so`.
    ///   - token: the token's label.
    ///   - pin: the user's PIN.
    /// - Throws: ``PKCS11Problem``.
    public init(module: String, token: String, pin: Secret, ambient: Ambient) throws(PKCS11Problem) {
        sessions = try PKCS11Sessions(module: module, token: token, pin: pin)
        label = token
        self.ambient = ambient
    }

    public func make(_ algorithm: SignatureAlgorithm) throws -> (key: SigningKey, reference: String) {
        guard [.es256, .rs256].contains(algorithm) else { throw PKCS11Problem.unsupported(algorithm.rawValue) }
        let id = ambient.randomBytes(Self.idBytes)
        try sessions.run { (session) throws(PKCS11Problem) in
            try session.generate(
                rsaBits: algorithm == .rs256 ? Self.rsaBits : nil, name: Self.objectLabel, id: id)
        }
        let reference = reference(to: id)
        do {
            return (try key(id, algorithm), reference)
        } catch {
            // Nothing would refer to it.
            try? remove(reference)
            throw error
        }
    }

    public func open(_ reference: String, _ algorithm: SignatureAlgorithm) throws -> SigningKey {
        guard let id = Self.id(in: reference) else { throw PKCS11Problem.malformed }
        return try key(id, algorithm)
    }

    /// Destroys both halves. One that is gone already is no problem: another server was first.
    public func remove(_ reference: String) throws {
        guard let id = Self.id(in: reference) else { return }
        for kind in [CKO_PRIVATE_KEY, CKO_PUBLIC_KEY] {
            do throws(PKCS11Problem) {
                try sessions.run { (session) throws(PKCS11Problem) in
                    try session.destroy(try session.find(kind, id))
                }
            } catch {
                guard error == .noKey else { throw error }
            }
        }
    }

    private func key(_ id: [UInt8], _ algorithm: SignatureAlgorithm) throws -> SigningKey {
        let publicKey = try publicMaterial(id, algorithm)
        return SigningKey(PKCS11Signer(sessions, id: id, publicMaterial: publicKey), algorithm)
    }

    private func publicMaterial(_ id: [UInt8], _ algorithm: SignatureAlgorithm) throws(PKCS11Problem)
        -> JSONWebKey.Material
    {
        guard algorithm == .es256 else {
            return .rsa(modulus: try attribute(CKA_MODULUS, id), exponent: try attribute(CKA_PUBLIC_EXPONENT, id))
        }
        // A DER OCTET STRING around the point; some tokens give the point alone (PKCS #11 v2.40 §2.3.3).
        let point = try attribute(CKA_EC_POINT, id).suffix(65)
        guard point.count == 65, point.first == 4 else { throw .malformed }
        let numbers = Array(point.dropFirst())
        return .ec(.p256, x: Array(numbers[..<32]), y: Array(numbers[32...]))
    }

    private func attribute(_ type: CK_ATTRIBUTE_TYPE, _ id: [UInt8]) throws(PKCS11Problem) -> [UInt8] {
        try sessions.run { (session) throws(PKCS11Problem) in
            try session.attribute(type, of: try session.find(CKO_PUBLIC_KEY, id))
        }
    }

    /// RFC 7512 §2.3.
    private func reference(to id: [UInt8]) -> String {
        let bytes = id.map { "%" + Base16.encode([$0]) }.joined()
        let unreserved = Set("-._~".utf8)
        let token = label.utf8.map { byte in
            let isLetterOrDigit =
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            return isLetterOrDigit || unreserved.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + Base16.encode([byte])
        }.joined()
        return "\(Self.scheme)token=\(token);id=\(bytes);type=private"
    }

    static func id(in reference: String) -> [UInt8]? {
        guard reference.hasPrefix(scheme) else { return nil }
        let attributes = reference.dropFirst(scheme.count).split(separator: ";")
        guard let text = attributes.first(where: { $0.hasPrefix("id=") })?.dropFirst(3) else { return nil }
        return Base16.decode(text.replacing("%", with: ""))
    }
}
