internal import Foundation

/// The socket on which the service manager hears how this program is doing: a datagram for each message (sd_notify(3)).
struct NotifySocket: Sendable {
    /// What is said.
    enum Message: Hashable, Sendable {
        /// It accepts connections. The text is for `systemctl status`.
        case ready(String)
        /// It was told to stop, and finishes what is in flight.
        case stopping(String)
        /// What it does meanwhile.
        case status(String)
        /// It is not hung.
        case watchdog

        /// The lines of the datagram.
        var text: String {
            switch self {
            case .ready(let status): "READY=1\n\(Self.line(status))"
            case .stopping(let status): "STOPPING=1\n\(Self.line(status))"
            case .status(let status): Self.line(status)
            case .watchdog: "WATCHDOG=1"
            }
        }

        /// A line break would begin another assignment.
        private static func line(_ status: String) -> String {
            "STATUS=\(status.split(whereSeparator: \.isNewline).joined(separator: " "))"
        }
    }

    /// What `sun_path` holds: a path with a zero behind it, or a zero and an abstract name.
    private let name: [UInt8]
    /// So long it waits for a service manager that does not read, in seconds.
    private static let sendSecondsMax = 5

    /// - Parameter text: `NOTIFY_SOCKET`: an absolute path, or `@` and an abstract name.
    /// - Throws: ``CommandFailure`` if it is neither.
    init(_ text: String) throws(CommandFailure) {
        let bytes = Array(text.utf8)
        guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path),
            bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@")
        else {
            throw .refused(
                "NOTIFY_SOCKET is neither an absolute path nor @ and a name: unset it, or start the server by systemd.")
        }
        name = bytes[0] == UInt8(ascii: "@") ? [0] + bytes.dropFirst() : bytes + [0]
    }

    /// - Returns: 0, or why it could not be sent (`errno`).
    @discardableResult
    func send(_ message: Message) -> Int32 {
        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: Self.sendSecondsMax, tv_usec: 0)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: name) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(message.text.utf8)
        let sent = unsafe withUnsafePointer(to: &target) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, size)
            }
        }
        return sent == bytes.count ? 0 : errno
    }
}
