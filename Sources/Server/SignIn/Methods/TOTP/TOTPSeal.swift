public import KeyturnBase
public import Model

/// Seals the secrets of authenticator apps for the store: a copy of the database does not contain them in the clear.
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
    ///   - isConfirmed: accepted at once, without a first code: its owner uses it already.
    ///   - facts: of an incomplete sign-up.
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

    /// The secret; `nil` if another server sealed it.
    public func open(_ stored: StoredTOTP) -> TOTPSecret? {
        seal.open(stored.sealed, context: stored.id).flatMap(TOTPSecret.init(bytes:))
    }
}
