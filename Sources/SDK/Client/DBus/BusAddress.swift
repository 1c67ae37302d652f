#if os(Linux)
    internal import Foundation

    /// A place where a message bus may listen (D-Bus Specification, “Server Addresses”).
    enum BusAddress: Hashable, Sendable {
        /// A socket in the file system.
        case path([UInt8])
        /// A name in Linux's own namespace of sockets, without the zero byte in front.
        case abstract([UInt8])
    }

    extension BusAddress {
        /// Longest name of a socket, in bytes: `sun_path` has 108, and one is a zero byte.
        static let nameMaxBytes = 107
        /// Most places that are tried; real lists have one.
        static let countMax = 8

        /// Where the bus of this process's session may be.
        static func environment() -> [BusAddress] {
            session(ProcessInfo.processInfo.environment)
        }

        /// Where the bus of a session may be, best first: what `DBUS_SESSION_BUS_ADDRESS` lists, and if that is
        /// not set, the socket `bus` in `XDG_RUNTIME_DIR`.
        static func session(_ environment: [String: String]) -> [BusAddress] {
            if let list = environment["DBUS_SESSION_BUS_ADDRESS"], !list.isEmpty { return parse(list) }
            guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return [] }
            let name = Array("\(runtime)/bus".utf8)
            return name.count <= nameMaxBytes ? [.path(name)] : []
        }

        /// Where the bus of the whole machine may be: what `DBUS_SYSTEM_BUS_ADDRESS` lists, or else its usual socket.
        static func system(_ environment: [String: String]) -> [BusAddress] {
            if let list = environment["DBUS_SYSTEM_BUS_ADDRESS"], !list.isEmpty { return parse(list) }
            return [
                .path(Array("/run/dbus/system_bus_socket".utf8)), .path(Array("/var/run/dbus/system_bus_socket".utf8)),
            ]
        }

        /// The same for this process.
        static func systemEnvironment() -> [BusAddress] {
            system(ProcessInfo.processInfo.environment)
        }

        /// The local sockets among the addresses of a list; other transports, and what is misspelled, are passed over.
        static func parse(_ list: String) -> [BusAddress] {
            Array(list.split(separator: ";").lazy.compactMap(parseOne).prefix(countMax))
        }

        private static func parseOne(_ address: Substring) -> BusAddress? {
            guard address.hasPrefix("unix:") else { return nil }
            for pair in address.dropFirst("unix:".count).split(separator: ",") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0] == "path" || parts[0] == "abstract" else { continue }
                guard let name = unescape(parts[1]), !name.isEmpty, name.count <= nameMaxBytes, !name.contains(0)
                else { return nil }
                return parts[0] == "path" ? .path(name) : .abstract(name)
            }
            return nil
        }

        /// Undoes `%` and two hexadecimal digits.
        private static func unescape(_ text: Substring) -> [UInt8]? {
            var result: [UInt8] = []
            var rest = text.utf8[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%") else {
                    result.append(byte)
                    continue
                }
                let digits = rest.prefix(2)
                guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
                    digits.first != UInt8(ascii: "+")
                else { return nil }
                result.append(value)
                rest = rest.dropFirst(2)
            }
            return result
        }
    }
#endif
