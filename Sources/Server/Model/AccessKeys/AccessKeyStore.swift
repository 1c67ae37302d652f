public import Authority
public import KeyturnBase

/// Access keys, found by the digest of their secret. What writes takes a permission.
public protocol AccessKeyStore: Sendable {
    /// Adds a key.
    ///
    /// - Throws: `missing` if there is no such user or tenant.
    func create(
        _ key: AccessKey, digest: SecretDigest, by permission: borrowing Allowed<Acts.ChangeAccessKeys>
    ) async throws(StoreError)

    /// The key of this secret, whatever its state, and the active user that it is bound to. One statement.
    func key(_ digest: SecretDigest) async throws(StoreError) -> (key: AccessKey, user: Account?)?

    /// The key of this identifier.
    func key(_ id: String) async throws(StoreError) -> AccessKey?

    /// Keys in the order of their creation, those after the first `offset`, at most `limit`.
    ///
    /// - Parameters:
    ///   - tenants: only keys of any of these; empty: all.
    ///   - user: only keys bound to this user; `nil`: all.
    func search(tenants: [String], user: UserID?, limit: Int, offset: Int) async throws(StoreError) -> [AccessKey]

    /// Reads the key, lets `rule` change it, and replaces it: one transaction.
    ///
    /// - Throws: `missing` if there is no such key, or no such tenant.
    func change(
        _ id: String, by permission: borrowing Allowed<Acts.ChangeAccessKeys>, at now: UnixTime,
        _ rule: @escaping @Sendable (inout AccessKey) -> Void
    ) async throws(StoreError) -> AccessKey

    /// Replaces the secret: the old one is refused from now on.
    ///
    /// - Throws: `missing` if there is no such key.
    func rotate(
        _ id: String, to digest: SecretDigest, by permission: borrowing Allowed<Acts.ChangeAccessKeys>, at now: UnixTime
    ) async throws(StoreError) -> AccessKey

    /// Removes a key.
    ///
    /// - Returns: whether there was such a key.
    func delete(_ id: String, by permission: borrowing Allowed<Acts.ChangeAccessKeys>) async throws(StoreError) -> Bool
}
