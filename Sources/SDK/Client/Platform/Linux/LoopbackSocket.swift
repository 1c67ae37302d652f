#if os(Linux) || os(macOS)
    #if canImport(Darwin)
        internal import Darwin
    #elseif canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif
    internal import KeyturnBase

    /// A non-blocking socket on 127.0.0.1, closed when it is released.
    final class LoopbackSocket: Sendable {
        private let descriptor: Int32

        private init(descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit {
            close(descriptor)
        }

        /// What receiving brought.
        enum Received {
            case bytes([UInt8])
            case nothingYet
            case closed
        }

        /// Listens on `port` of 127.0.0.1, and of no other interface.
        ///
        /// - Parameter port: 0 lets the system choose.
        static func listen(port: UInt16) throws(AuthError) -> LoopbackSocket {
            #if canImport(Glibc)
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            guard descriptor >= 0 else { throw failure("a socket cannot be made") }
            let listener = LoopbackSocket(descriptor: descriptor)
            try listener.configure()
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isBound = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isBound else { throw failure("port \(port) of 127.0.0.1 is not free") }
            #if canImport(Darwin)
                let isListening = Darwin.listen(descriptor, 16) == 0
            #elseif canImport(Musl)
                let isListening = Musl.listen(descriptor, 16) == 0
            #else
                let isListening = Glibc.listen(descriptor, 16) == 0
            #endif
            guard isListening else { throw failure("cannot listen on 127.0.0.1") }
            return listener
        }

        /// The port listened on.
        func port() throws(AuthError) -> UInt16 {
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isKnown = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getsockname(descriptor, $0, &size) == 0
                }
            }
            guard isKnown else { throw Self.failure("the port cannot be found out") }
            return UInt16(bigEndian: address.sin_port)
        }

        /// The next connection; `nil` if there is none.
        func accept() -> LoopbackSocket? {
            #if canImport(Darwin)
                let accepted = Darwin.accept(descriptor, nil, nil)
            #elseif canImport(Musl)
                let accepted = Musl.accept(descriptor, nil, nil)
            #else
                let accepted = Glibc.accept(descriptor, nil, nil)
            #endif
            guard accepted >= 0 else { return nil }
            let connection = LoopbackSocket(descriptor: accepted)
            return (try? connection.configure()) == nil ? nil : connection
        }

        func receive() -> Received {
            var chunk = [UInt8](repeating: 0, count: 8_192)
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count > 0 { return .bytes(Array(chunk[..<count])) }
            if count < 0, errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR { return .nothingYet }
            return .closed
        }

        /// Sends a page that fits the system's buffer, and says that nothing follows.
        func send(_ bytes: [UInt8]) {
            #if canImport(Darwin)
                let flags: Int32 = 0
            #else
                let flags = Int32(MSG_NOSIGNAL)
            #endif
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { bytes in
                    #if canImport(Darwin)
                        unsafe Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
                    #elseif canImport(Musl)
                        unsafe Musl.send(descriptor, bytes.baseAddress, bytes.count, flags)
                    #else
                        unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
                    #endif
                }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            shutdown(descriptor, Int32(SHUT_WR))
        }

        private func configure() throws(AuthError) {
            let flags = fcntl(descriptor, F_GETFL)
            guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
                fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
            else { throw Self.failure("a socket cannot be configured") }
            #if canImport(Darwin)
                var on: Int32 = 1
                unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            #endif
        }

        private static func failure(_ detail: String) -> AuthError {
            AuthError(.unavailable, "\(detail) (errno \(errno))")
        }
    }
#endif
