#if os(Linux)
    internal import Foundation

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// Where a TPM 2 takes commands, as tpm2-tools spell it (TCTI).
    enum TPMAddress: Hashable, Sendable {
        /// A device of the kernel; `/dev/tpmrm0` is the one that the kernel manages for all who use it.
        case device(String)
        /// A simulator's socket in the file system.
        case socket(String)
        /// A simulator's port on this machine or another.
        case port(host: String, port: UInt16)

        /// - Returns: `nil` for anything else.
        init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            guard let kind = parts.first else { return nil }
            let rest = parts.count == 2 ? parts[1] : ""
            switch kind {
            case "device": self = .device(rest.isEmpty ? Self.managed : rest)
            case "swtpm":
                let pairs = rest.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
                guard pairs.allSatisfy({ $0.count == 2 }) else { return nil }
                let options = Dictionary(pairs.map { ($0[0], $0[1]) }) { first, _ in first }
                if let path = options["path"] {
                    self = .socket(path)
                } else {
                    guard let port = UInt16(options["port"] ?? "2321") else { return nil }
                    self = .port(host: options["host"] ?? "127.0.0.1", port: port)
                }
            default: return nil
            }
        }

        private static let managed = "/dev/tpmrm0"

        /// The TPM that this process may use; `nil` if there is none.
        static func environment() -> TPMAddress? {
            if let text = ProcessInfo.processInfo.environment["TPM2TOOLS_TCTI"], let address = TPMAddress(text) {
                return address
            }
            return unsafe access(managed, R_OK | W_OK) == 0 ? .device(managed) : nil
        }
    }
#endif
