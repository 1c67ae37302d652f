#if os(Linux)
    internal import KeyturnBase

    /// Keys that libfido2 finds, or that the caller finds for it.
    struct FidoSource: SecurityKeySource {
        private let library: FidoLibrary?
        private let places: [SecurityKeyPlace]?
        private let functions: FidoFunctions?

        /// What is plugged in.
        init(library: FidoLibrary? = .system) {
            self.library = library
            places = nil
            functions = nil
        }

        /// Keys that are reached in another way than over USB.
        init(library: FidoLibrary?, places: [SecurityKeyPlace], functions: FidoFunctions) {
            self.library = library
            self.places = places
            self.functions = functions
        }

        var isAvailable: Bool { library != nil }

        func list() -> [SecurityKeyPlace] {
            if let places { return places }
            guard let library else { return [] }
            return Self.list(library)
        }

        func open(_ place: SecurityKeyPlace) throws(SecurityKeyStatus) -> any SecurityKeyPort {
            guard let library else { throw .internal }
            return try FidoDevice(library, path: place.path, functions: functions)
        }

        private static func list(_ library: FidoLibrary) -> [SecurityKeyPlace] {
            let room = Limits.securityKeysMax
            var list = unsafe library.infoNew(room)
            defer { unsafe library.infoFree(&list, room) }
            var count = 0
            guard unsafe library.infoManifest(list, room, &count) == 0 else { return [] }
            return (0..<min(count, room)).compactMap { index in
                let info = unsafe library.infoAt(list, index)
                guard let path = unsafe library.infoPath(info) else { return nil }
                let product = unsafe library.infoProduct(info)
                return SecurityKeyPlace(
                    path: unsafe String(cString: path), product: unsafe product.map { unsafe String(cString: $0) } ?? ""
                )
            }
        }
    }

    /// How bytes get to a key and back, as libfido2 wants to be told (`fido_dev_io_t`).
    @safe struct FidoFunctions: Sendable {
        typealias Handle = UnsafeMutableRawPointer
        var open: @convention(c) @Sendable (UnsafePointer<CChar>?) -> Handle?
        var close: @convention(c) @Sendable (Handle?) -> Void
        var read: @convention(c) @Sendable (Handle?, UnsafeMutablePointer<UInt8>?, Int, Int32) -> Int32
        var write: @convention(c) @Sendable (Handle?, UnsafePointer<UInt8>?, Int) -> Int32
    }
#endif
