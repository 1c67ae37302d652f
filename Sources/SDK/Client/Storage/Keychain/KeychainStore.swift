#if canImport(Security)
    public import KeyturnBase

    /// Keeps each container's session in the keychain: one generic-password item, in the data-protection keychain on
    /// every platform, the Mac included.
    ///
    /// Reading says ``StoreReading/absent`` only where the keychain has just shown that it can be read: a small item of
    /// the same accessibility lies beside the sessions for that, and is made when it is missing. A locked keychain, a
    /// missing entitlement and every other failure are ``StoreReading/unavailable(_:)``, and the error says why.
    ///
    /// The generation stands in an attribute of the item (`kSecAttrGeneric`) and, where a change has a condition, in
    /// the query as well: the keychain itself looks and replaces in one step, whatever other process writes meanwhile.
    ///
    /// On the Mac a program that is not signed with an access group has no data-protection keychain
    /// (`errSecMissingEntitlement`, -34018). There is no silent way out to the older keychain, which asks the person
    /// for a password after every update of the program: choose another storage for such builds.
    public struct KeychainStore: ImmediateStore {
        /// Where the sessions lie, who may read them, and when.
        public struct Options: Sendable {
            /// When the items can be read.
            public var accessibility = Accessibility.afterFirstUnlock()
            /// The access group shared with other apps and extensions, team prefix included.
            ///
            /// `nil`: where the system puts this program's items, which is the first group of its entitlements at the
            /// first use: `keychain-access-groups`, then the app's own, then app groups. A program that lists a shared
            /// group first and does not want to share must name its own. Items in other groups are never touched.
            public var accessGroup: String?
            /// The items' service name, the same for all who share them.
            public var service = "keyturn"
            /// What to do with sessions that outlived the app, which keychain items do.
            public var firstRun = FirstRun.keep
            /// An absolute path where the lock files lie, made when missing; `nil`: a lock in this process's memory.
            ///
            /// An app and its extensions renew the same session, so they must give the folder of their app group here:
            /// the system has no other lock between them. On iOS a process that is suspended while it holds a lock
            /// there is ended by the system (0xdead10cc); the next one takes the lock and renews again. An app that
            /// renews in the background asks for the time to finish (`performExpiringActivity`).
            public var directory: String?
            /// Where a run is marked; `nil`: in ``directory``, or without one in the app's preferences.
            public var marks: (any RunMarks)?

            /// Options that suit one app without extensions.
            public init() {}

            /// Options of programs that share what they store.
            ///
            /// - Parameter accessGroup: A keychain group among the entitlements of all of them, with the team before it.
            public init(accessGroup: String) {
                self.accessGroup = accessGroup
            }
        }

        /// When an item can be read. What is this device's only is in no backup and on no other device.
        public enum Accessibility: Hashable, Sendable {
            /// Once the person has unlocked the device after it started; for apps that also run in the background.
            case afterFirstUnlock(thisDeviceOnly: Bool = true)
            /// While the device is unlocked.
            case whenUnlocked(thisDeviceOnly: Bool = true)
            /// While the device is unlocked, and only if it has a passcode: without one nothing can be stored, and
            /// removing the passcode removes the item. Always this device's only.
            case whenPasscodeSet
        }

        /// What a fresh installation does with the sessions of an earlier one, which an uninstall leaves behind.
        public enum FirstRun: Hashable, Sendable {
            /// Keeps them: a person who installs the app again is still signed in.
            case keep
            /// Removes every session of this service and access group, once. Programs that share them must share
            /// ``Options/marks`` as well, or one's first run ends the other's sessions.
            case removeLeftovers
        }

        private let records: KeychainRecords

        /// A store over the system's keychain. Touches nothing yet.
        public init(_ options: Options = Options()) {
            precondition(options.directory?.hasPrefix("/") != false, "the directory must be an absolute path")
            precondition(!options.service.isEmpty, "the service needs a name")
            let group = AccessGroup(
                options.accessGroup, service: options.service, accessibility: options.accessibility)
            let keychain = SystemKeychain(group: group, accessibility: options.accessibility)
            let place = [options.accessGroup ?? "", options.service].joined(separator: "\0")
            records = KeychainRecords(
                keychain: keychain, service: options.service,
                canary: KeychainCanary(keychain: keychain, item: group.canary),
                locks: KeychainLocks(directory: options.directory, place: place), marks: Self.marks(options))
        }

        public func read(_ container: String) async -> StoreReading {
            await records.read(container)
        }

        public func readNow(_ container: String) -> StoreReading {
            records.readNow(container)
        }

        public func write(
            _ record: StoredRecord, for container: String, when condition: StoreCondition
        ) async throws(AuthError) -> StoreOutcome {
            try await records.write(record, for: container, when: condition)
        }

        public func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome
        {
            try await records.remove(container, when: condition)
        }

        public func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
            try await records.lock(container, timeoutSeconds: timeoutSeconds)
        }

        public func changeMark(_ container: String) async -> ChangeMark? {
            records.changeMark(container)
        }

        private static func marks(_ options: Options) -> (any RunMarks)? {
            guard options.firstRun == .removeLeftovers else { return nil }
            return options.marks ?? options.directory.map { FileMarks(directory: $0) } ?? UserDefaultsMarks()
        }
    }

    extension KeychainStore.Accessibility {
        /// A name for items: changed, it would name others.
        var name: String {
            switch self {
            case .afterFirstUnlock(let isThisDeviceOnly):
                "after-first-unlock" + (isThisDeviceOnly ? "-this-device" : "")
            case .whenUnlocked(let isThisDeviceOnly): "when-unlocked" + (isThisDeviceOnly ? "-this-device" : "")
            case .whenPasscodeSet: "when-passcode-set-this-device"
            }
        }
    }
#endif
