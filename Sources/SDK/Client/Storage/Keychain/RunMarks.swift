#if canImport(Security)
    internal import Foundation
    public import KeyturnBase

    /// Where an installation of the app notes that it has run: something that an uninstall removes, as it does not
    /// remove keychain items.
    public protocol RunMarks: Sendable {
        /// Whether `name` was marked.
        ///
        /// - Throws: `store.unavailable` if it cannot be known.
        func contains(_ name: String) throws(AuthError) -> Bool

        /// Marks `name`.
        ///
        /// - Throws: `store.unavailable`; the mark may then be missing.
        func insert(_ name: String) throws(AuthError)
    }

    /// Marks in the app's preferences.
    ///
    /// Preferences cannot be read before the first unlock after a start of the device, and then look empty; so
    /// ``KeychainStore`` believes a missing mark only once the keychain is open. An extension has preferences of its
    /// own unless both name the same suite. Reading preferences is to be declared in the app's privacy manifest.
    public struct UserDefaultsMarks: RunMarks {
        private let suiteName: String?

        /// - Parameter suiteName: An app group, for an app with extensions; `nil`: the app's own preferences.
        public init(suiteName: String? = nil) {
            self.suiteName = suiteName
        }

        public func contains(_ name: String) throws(AuthError) -> Bool {
            try defaults().bool(forKey: Self.key(name))
        }

        public func insert(_ name: String) throws(AuthError) {
            try defaults().set(true, forKey: Self.key(name))
        }

        private func defaults() throws(AuthError) -> UserDefaults {
            guard let suiteName else { return .standard }
            guard let defaults = UserDefaults(suiteName: suiteName) else {
                throw AuthError(.storeUnavailable, "there are no preferences of this suite name")
            }
            return defaults
        }

        private static func key(_ name: String) -> String { "keyturn.ran." + name }
    }

    /// Marks as empty files. That a file is there can be seen before the first unlock as well.
    struct FileMarks: RunMarks {
        /// Absolute.
        let directory: String

        func contains(_ name: String) throws(AuthError) -> Bool {
            try KeychainLocks.folder(directory, creating: false)?.mark(Self.file(name)) != nil
        }

        func insert(_ name: String) throws(AuthError) {
            guard let folder = try KeychainLocks.folder(directory, creating: true) else {
                throw AuthError(.storeUnavailable, "the folder of the marks vanished")
            }
            // Called with a lock held, so a file aside was left by a process that is gone.
            let aside = Self.file(name) + ".new"
            try folder.remove(aside)
            try folder.replace(Self.file(name), aside: aside, with: [])
        }

        private static func file(_ name: String) -> String { "ran-" + KeychainLocks.digest(name) }
    }
#endif
