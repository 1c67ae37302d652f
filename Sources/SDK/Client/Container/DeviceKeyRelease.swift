internal import KeyturnBase

/// Removes the key that a container's sessions were bound to, once no session needs it.
struct DeviceKeyRelease: Sendable {
    let keys: any DeviceKeys
    let store: any SessionStore
    /// Where the vault's sessions are.
    let vaultStore: any SessionStore
    let container: String
    let pending: PendingSignIns
    let ambient: Ambient

    /// Whether there is a session to sign out of. Where there is none, the key may be that of a sign-in in another
    /// process, and only a forced sign-out removes it: the way out for a user whose key cannot be used any more.
    func hasSession() async -> Bool {
        if case .absent = await store.read(container) { false } else { true }
    }

    /// The user has signed out. The key stays if anything may still need it, or that cannot be known: a session that
    /// another process has begun, users in the vault, a sign-in under way. The next sign-out removes it then.
    func run() async {
        guard let lock = try? await store.lock(container, timeoutSeconds: Limits.forcedLockSeconds) else { return }
        if await isFree() {
            // A key that stays behind is of no use without this device.
            try? await keys.removeKey(container)
        }
        await lock.unlock()
    }

    private func isFree() async -> Bool {
        guard case .absent = await store.read(container), await pending.isEmpty(at: ambient.now()) else { return false }
        do throws(AuthError) {
            let records = VaultRecords(store: vaultStore, container: container, ambient: ambient)
            return try await records.index()?.index.users.isEmpty ?? true
        } catch {
            return false
        }
    }
}
