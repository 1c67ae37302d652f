public import KeyturnBase
public import Model

/// Seals the secrets of authenticator apps for the store, and opens them again: whoever copies the database gets none.
public struct TOTPSeal: Sendable {
    private let seal: Seal
    private let ambient: Ambient

    public init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .authenticator, ambient: ambient)
        self.ambient = ambient
    }

    /// A secret in the form in which it is stored.
    ///
    /// - Parameters:
    ///   - isConfirmed: it counts from now on, without a first code: its owner uses it already.
    ///   - facts: of a sign-up that is not complete.
    ///   - session: in which it is set up.
    public func store(
        _ secret: TOTPSecret, isConfirmed: Bool, facts: VerificationFacts? = nil,
        begunIn session: StoredTOTP.Session? = nil
    ) -> StoredTOTP {
        let id = ambient.randomBytes(16)
        return StoredTOTP(
            id: id, sealed: seal.seal(secret.bytes, context: id), isConfirmed: isConfirmed, usedStep: -1, facts: facts,
            begunIn: session)
    }

    /// The secret; `nil` if it was sealed by another server.
    public func open(_ stored: StoredTOTP) -> TOTPSecret? {
        seal.open(stored.sealed, context: stored.id).flatMap(TOTPSecret.init(bytes:))
    }
}
