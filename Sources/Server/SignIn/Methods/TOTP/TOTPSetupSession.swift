internal import KeyturnBase
internal import Model

extension StoredTOTP.Session {
    /// The page of a sign-in, by the key that it shows.
    static func page(showing key: Secret) -> StoredTOTP.Session {
        .signIn("page." + Base64URL.encode(SecretDigest(of: key).bytes))
    }
}

extension StoredTOTP {
    /// Whether a code may be one of it: an authenticator that a sign-in began waits there for its first code, and what
    /// the sign-in went on from may be gone elsewhere.
    func isAccepted(in session: Session?) -> Bool {
        guard !isConfirmed, case .signIn? = begunIn else { return true }
        return begunIn == session
    }
}
