internal import KeyturnBase

#if canImport(Musl)
    internal import Musl
#elseif canImport(Glibc)
    internal import Glibc
#endif

/// What a device says about itself when it sets a key up, so that its owner finds it again among others.
enum PlatformDeviceInfo {
    static func json() -> JSONValue {
        #if os(Linux)
            ["linux": ["name": .string(hostName())]]
        #else
            AppleDeviceInfo.json()
        #endif
    }

    /// The same in the form that Authgear takes: it refuses a device that is neither of iOS nor of Android, and shows
    /// `machine` as the model.
    ///
    /// - Parameter isNamed: Whether the machine's own name is told, on Linux: so that its owner finds it among others.
    static func authgear(isNamed: Bool) -> JSONValue {
        #if os(Linux)
            var names: [String: JSONValue] = ["sysname": "Linux", "machine": "Linux"]
            if isNamed { names["nodename"] = .string(hostName()) }
            return ["ios": ["uname": .object(names)]]
        #else
            AppleDeviceInfo.json()
        #endif
    }

    #if os(Linux)
        /// The machine's own name; not looked up in any network.
        private static func hostName() -> String {
            // As long as a name can be (HOST_NAME_MAX), and a zero byte.
            var name = [CChar](repeating: 0, count: 65)
            guard unsafe gethostname(&name, name.count - 1) == 0 else { return "localhost" }
            return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    #endif
}
