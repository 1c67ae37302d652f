#if canImport(Security)
    internal import KeyturnBase

    /// Locks around keychain items, which the keychain does not offer: files in a folder, or this process's memory.
    struct KeychainLocks: Sendable {
        /// Absolute; `nil`: only this process is kept out.
        let directory: String?
        /// The service and access group: the same names elsewhere are other locks.
        let place: String

        /// Every store of this process without a folder, whichever instance takes the lock.
        private static let ofThisProcess = MemoryStore()

        /// Takes the lock of `subject`, waiting at most `timeoutSeconds`; `nil` when they are over.
        func take(_ subject: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
            let name = [place, subject].joined(separator: "\0")
            guard let directory else {
                return try await Self.ofThisProcess.lock(name, timeoutSeconds: timeoutSeconds)
            }
            let folder = try Self.folder(directory, creating: true)
            guard let folder else { throw AuthError(.storeUnavailable, "the folder of the locks vanished") }
            return try await FileLock.take(folder, "lock-" + Self.digest(name), timeoutSeconds: timeoutSeconds)
        }

        static func folder(_ directory: String, creating: Bool) throws(AuthError) -> PrivateDirectory? {
            switch try PrivateDirectory.open(root: directory, ["keyturn"], creating: creating) {
            case .opened(let folder): folder
            case .absent: nil
            }
        }

        /// Any name as a short file name (FNV-1a). Two names that meet wait for each other, and nothing worse happens.
        static func digest(_ name: String) -> String {
            let hash = name.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
            let digits = String(hash, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
    }
#endif
