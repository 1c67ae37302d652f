#if os(Linux)
    internal import Crypto
    public import KeyturnBase

    /// Device keys in the machine's TPM 2: P-256 keys that are made there, sign there and never leave it. Where there is
    /// no TPM they are made in software, like those of ``StoredDeviceKeys``.
    ///
    /// Where a key lies is decided when it is made, and kept with it: a session that is bound to a key of the TPM never
    /// goes on with another one. The wrapped key lies in the store, and is of use to no other TPM. No password protects it:
    /// a program that can read the store and use the TPM can sign, on this machine alone.
    public struct TPMKeys: DeviceKeys {
        private let store: any SessionStore
        private let keys: LinuxKeyPlace
        private let ambient: Ambient
        private var software: StoredDeviceKeys { StoredDeviceKeys(store) }

        /// Keys whose wrapped halves lie in `storage`. Touches neither disk nor TPM.
        ///
        /// - Parameters:
        ///   - storage: Where they are kept; not ``SessionStorage/memory`` if sessions are to outlive the process.
        ///   - keys: Where keys are made. With ``LinuxKeyPlace/tpm(_:)`` a key in software counts as none.
        ///   - ambient: Clock and randomness.
        public init(
            storage: SessionStorage = .automatic, keys: LinuxKeyPlace = .automatic, ambient: Ambient = .live
        ) {
            self.init(store: storage.makeStore(ambient: ambient), keys: keys, ambient: ambient)
        }

        init(store: any SessionStore, keys: LinuxKeyPlace, ambient: Ambient) {
            self.store = store
            self.keys = keys
            self.ambient = ambient
        }

        public func key(_ name: String) async -> DeviceKeyReading {
            switch await store.read(StoredDeviceKeys.place(name)) {
            case .absent: return .absent
            case .unavailable(let error): return .unavailable(error)
            case .found(let record):
                guard TPMKeyRecord.isOne(record) else { return wantsTPM ? .absent : await software.key(name) }
                do throws(AuthError) {
                    return .found(TPMKey(record: try TPMKeyRecord(record), keys: keys))
                } catch {
                    return .unavailable(error)
                }
            }
        }

        /// Makes a key under `name`, unless there is one: then that is returned. A key that the TPM does not know any more,
        /// because it was cleared or is another one, is replaced.
        ///
        /// - Throws: `store.unavailable`, also if the TPM that has the key, or was asked for, cannot be used now;
        ///   `service.unsupported` if it was asked for and its library is missing; `configuration.invalid` if its name is
        ///   none.
        public func makeKey(_ name: String) async throws(AuthError) -> any DeviceKey {
            let place = StoredDeviceKeys.place(name)
            for _ in 0..<Limits.deviceKeyRetries {
                let condition: StoreCondition
                switch await store.read(place) {
                // It is gone for good, and what was bound to it with it.
                case .unavailable(let error) where error.code == .storeKeyLost: condition = .always
                case .unavailable(let error): throw error
                case .absent: condition = .absent
                case .found(let record) where TPMKeyRecord.isOne(record):
                    let found = try TPMKeyRecord(record)
                    let isKnown = try await keys.open { (tpm) throws(TPMProblem) in try tpm.check(found.object) } != nil
                    if isKnown { return TPMKey(record: found, keys: keys) }
                    condition = .generation(record.generation)
                case .found(let record):
                    guard wantsTPM else { return try await software.makeKey(name) }
                    condition = .generation(record.generation)
                }
                guard let made = try await make() else {
                    if case .generation = condition { _ = try await store.remove(place, when: condition) }
                    return try await software.makeKey(name)
                }
                let record = made.stored(id: ambient.randomToken(byteCount: 16))
                if try await store.write(record, for: place, when: condition) == .done {
                    return TPMKey(record: made, keys: keys)
                }
            }
            throw AuthError(.storeUnavailable, "the device key changes all the time")
        }

        public func removeKey(_ name: String) async throws(AuthError) {
            try await software.removeKey(name)
        }

        private var wantsTPM: Bool {
            if case .tpm = keys { true } else { false }
        }

        private func make() async throws(AuthError) -> TPMKeyRecord? {
            try await keys.make { (tpm) throws(TPMProblem) in
                let made = try tpm.makeKey()
                return TPMKeyRecord(publicKey: made.point, object: made.object)
            }
        }
    }

    /// A key of the TPM as the store keeps it.
    struct TPMKeyRecord: Hashable, Sendable {
        /// The point: x, then y.
        let publicKey: [UInt8]
        /// What the TPM needs to load it.
        let object: TPMObject

        private static let version: Int64 = 1
        /// Tells it from a key in software, and from a session that happens to have the same name.
        private static let mark = "device key of a TPM "

        static func isOne(_ record: StoredRecord) -> Bool { record.generation.signIn.hasPrefix(mark) }

        /// The form for the store.
        ///
        /// - Parameter id: Tells this key from others of the same name.
        func stored(id: String) -> StoredRecord {
            let contents = JSONWriter.object { writer in
                writer.member("version", Self.version)
                writer.member("public_key", Base64URL.encode(publicKey))
                writer.member("content", Base64URL.encode(object.secret))
                writer.member("wrapper", Base64URL.encode(object.area))
            }
            return StoredRecord(generation: Generation(signIn: Self.mark + id, number: 1), contents: contents)
        }
    }

    extension TPMKeyRecord {
        /// Reads what ``stored(id:)`` wrote.
        ///
        /// - Throws: `store.unavailable` for anything else.
        init(_ record: StoredRecord) throws(AuthError) {
            guard Self.isOne(record), let json = try? JSONValue(parsing: record.contents),
                json["version"]?.integerValue == Self.version,
                let publicKey = json["public_key"]?.stringValue.flatMap({ Base64URL.decode($0) }),
                let content = json["content"]?.stringValue.flatMap({ Base64URL.decode($0) }),
                let wrapper = json["wrapper"]?.stringValue.flatMap({ Base64URL.decode($0) })
            else { throw AuthError(.storeUnavailable, "the stored device key is damaged, or of a later release") }
            self.init(publicKey: publicKey, object: TPMObject(secret: content, area: wrapper))
        }
    }

    private struct TPMKey: DeviceKey {
        let record: TPMKeyRecord
        let keys: LinuxKeyPlace

        var publicKey: [UInt8] { record.publicKey }

        /// - Throws: `session.device_key_lost` if the TPM does not know the key any more.
        func signature(of message: [UInt8]) async throws(AuthError) -> [UInt8] {
            let digest = Array(SHA256.hash(data: message))
            let object = record.object
            let made = try await keys.open { (tpm) throws(TPMProblem) in try tpm.signature(of: digest, with: object) }
            guard let made else {
                throw AuthError(
                    .deviceKeyLost, "the TPM was cleared, or is another one, and the key in it is gone: sign in again")
            }
            return made
        }
    }
#endif
