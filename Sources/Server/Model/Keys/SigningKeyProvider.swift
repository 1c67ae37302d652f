public import KeyturnJose

/// Keeps private keys outside the database, where they cannot be read. The database holds a reference to each.
public protocol SigningKeyProvider: Sendable {
    /// Makes a key pair.
    ///
    /// - Returns: the key, and the reference that ``open(_:_:)`` takes.
    /// - Throws: an error whose description says why.
    func make(_ algorithm: SignatureAlgorithm) throws -> (key: SigningKey, reference: String)

    /// A key that was made earlier.
    func open(_ reference: String, _ algorithm: SignatureAlgorithm) throws -> SigningKey

    /// Destroys a key. One that is gone already is no problem.
    func remove(_ reference: String) throws
}
