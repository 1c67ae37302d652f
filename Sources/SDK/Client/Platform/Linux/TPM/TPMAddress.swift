#if os(Linux)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// Where a TPM 2 takes commands, as tpm2-tools spell it (TCTI): a kind, a colon, and what the kind wants to know.
    struct TPMAddress: Hashable, Sendable {
        /// What libtss2-tctildr is told.
        let configuration: String

        /// - Returns: `nil` if it names no kind. A kind is no path: libtss2-tctildr would load the file that lies there.
        init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let kind = parts[0]
            guard !kind.isEmpty, text.utf8.count <= Limits.tpmAddressMaxBytes, !text.utf8.contains(0),
                kind.utf8.allSatisfy(Self.isKindByte)
            else { return nil }
            let rest = parts.count == 2 ? parts[1] : ""
            configuration = kind == "device" && rest.isEmpty ? "device:" + Self.managed : text
        }

        /// Whether a resource manager stands before the TPM: programs then neither see nor crowd each other out, and what
        /// a process had loaded goes with it.
        var isManaged: Bool {
            configuration.hasPrefix("device:/dev/tpmrm") || configuration.hasPrefix("tabrmd")
        }

        private static func isKindByte(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }

        private static let managed = "/dev/tpmrm0"

        /// The TPM that this process may use; `nil` if there is none, or the one that is named has no good name.
        ///
        /// A kind can start programs (`cmd`): a program that runs with another user's rights does not read the variable.
        static func environment() -> TPMAddress? {
            if getuid() == geteuid(), getgid() == getegid(), let named = unsafe getenv("TPM2TOOLS_TCTI"),
                unsafe named.pointee != 0
            {
                return TPMAddress(unsafe String(cString: named))
            }
            return unsafe access(managed, R_OK | W_OK) == 0 ? TPMAddress("device") : nil
        }
    }
#endif
