internal import KeyturnBase

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// An advisory lock on a file. The system releases it when the process ends, however it ends.
actor FileLock: StoreLock {
    private var file: Int32?

    private init(file: Int32) {
        self.file = file
    }

    deinit {
        if let file { close(file) }
    }

    /// Takes the lock, waiting at most `timeoutSeconds`; `nil` when they are over.
    static func take(
        _ directory: PrivateDirectory, _ name: String, timeoutSeconds: Int64
    ) async throws(AuthError) -> FileLock? {
        let file = try directory.openLock(name)
        do throws(AuthError) {
            var wait = LockWait(timeoutSeconds: timeoutSeconds)
            while flock(file, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else {
                    throw Platform.failure("the lock file cannot be locked")
                }
                guard try await wait.pause() else {
                    close(file)
                    return nil
                }
            }
        } catch {
            close(file)
            throw error
        }
        return FileLock(file: file)
    }

    func unlock() {
        if let file { close(file) }
        file = nil
    }
}
