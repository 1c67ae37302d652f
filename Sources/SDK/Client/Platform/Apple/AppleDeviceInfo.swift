#if canImport(Security)
    internal import Foundation
    internal import KeyturnBase

    #if canImport(Darwin)
        internal import Darwin
    #else
        internal import Glibc
    #endif

    /// What an Apple device says about itself when it sets a key up, as services with this grant know it.
    enum AppleDeviceInfo {
        static func json() -> JSONValue {
            let bundle = Bundle.main
            var app: [String: JSONValue] = [:]
            for name in ["CFBundleIdentifier", "CFBundleName", "CFBundleShortVersionString", "CFBundleVersion"] {
                if let text = bundle.object(forInfoDictionaryKey: name) as? String { app[name] = .string(text) }
            }
            return ["ios": ["uname": .object(names()), "NSBundle": .object(app)]]
        }

        /// What `uname` says, except the node's name, which may be the person's. The machine is the model.
        private static func names() -> [String: JSONValue] {
            var system = utsname()
            guard unsafe uname(&system) == 0 else { return ["machine": "unknown"] }
            return [
                "machine": text(system.machine), "release": text(system.release), "sysname": text(system.sysname),
                "version": text(system.version),
            ]
        }

        /// A C array, which is a tuple here, up to its first zero byte.
        private static func text(_ tuple: some Any) -> JSONValue {
            let bytes = unsafe withUnsafeBytes(of: tuple) { unsafe Array($0.prefix { $0 != 0 }) }
            return .string(String(decoding: bytes, as: UTF8.self))
        }
    }
#endif
