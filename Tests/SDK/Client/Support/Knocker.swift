#if os(Linux) || os(macOS)
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A client of the loopback listener that can say anything, in any pieces.
    final class Knocker: Sendable {
        struct Refused: Error {}

        private let descriptor: Int32

        init(port: UInt16) throws {
            #if canImport(Glibc)
                descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let descriptor = descriptor
            let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isConnected else {
                close(descriptor)
                throw Refused()
            }
        }

        deinit {
            close(descriptor)
        }

        func send(_ bytes: [UInt8]) {
            _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        }

        /// Everything until the other side has nothing more to say; gives up after ten seconds.
        func answer() async throws -> String {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            var answer: [UInt8] = []
            for _ in 0..<2_000 {
                var chunk = [UInt8](repeating: 0, count: 4_096)
                let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
                if count > 0 { answer += chunk[..<count] }
                if count == 0 || (count < 0 && errno != EAGAIN) { return String(decoding: answer, as: UTF8.self) }
                if count < 0 { try await Task.sleep(for: .milliseconds(5)) }
            }
            throw Refused()
        }
    }
#endif
