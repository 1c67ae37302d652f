internal import KeyturnBase

/// A store that finds out by itself where the records of its container lie.
protocol PlacedStore: SessionStore {
    /// Where the container's records lie.
    ///
    /// - Throws: `store.unavailable` while that cannot be read.
    func slot() async throws(AuthError) -> String

    /// A person is about to sign in: what cannot be read now does not keep them from it, and what turns up there later is
    /// not taken over any more.
    func settle() async

    /// A person signs in.
    ///
    /// - Throws: `store.unavailable`.
    func claimOnSignIn() async throws(AuthError)
}
