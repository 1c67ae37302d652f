#if os(Linux)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// An open way to a TPM, for one thread. Every wait has an end.
    final class TPMPort {
        private let descriptor: Int32
        private let isSocket: Bool
        private let deadline: ContinuousClock.Instant

        /// - Throws: ``TPMProblem/unreachable(_:)``.
        init(_ address: TPMAddress) throws(TPMProblem) {
            deadline = .now + .seconds(Limits.tpmSeconds)
            switch address {
            case .device(let path): (descriptor, isSocket) = (unsafe open(path, O_RDWR | O_CLOEXEC), false)
            case .socket(let path): (descriptor, isSocket) = (Self.connect(path), true)
            case .port(let host, let port): (descriptor, isSocket) = (Self.connect(host, port), true)
            }
            guard descriptor >= 0 else { throw .unreachable("errno \(errno)") }
        }

        deinit {
            close(descriptor)
        }

        /// Sends a command and waits for its whole answer.
        func exchange(_ command: [UInt8]) throws(TPMProblem) -> [UInt8] {
            try write(command)
            var answer: [UInt8] = []
            var length = TPMReader.headBytes
            while answer.count < length {
                answer += try read()
                guard answer.count >= TPMReader.headBytes else { continue }
                length = try TPMReader.length(answer)
            }
            guard answer.count == length else { throw .malformed }
            return answer
        }

        private func write(_ command: [UInt8]) throws(TPMProblem) {
            // A device takes a command whole, and a command is shorter than any socket's buffer.
            let count = unsafe command.withUnsafeBytes { bytes in
                // A simulator that went away must not end this process.
                #if canImport(Musl)
                    isSocket
                        ? unsafe Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                        : unsafe Musl.write(descriptor, bytes.baseAddress, bytes.count)
                #else
                    isSocket
                        ? unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                        : unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            guard count == command.count else { throw .unreachable("errno \(errno)") }
        }

        private func read() throws(TPMProblem) -> [UInt8] {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .unreachable("no answer in time") }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&watched, 1, Int32(clamping: left.components.seconds * 1_000 + 1_000))
            // A signal is no answer, and no failure either.
            if count < 0, errno == EINTR { return [] }
            guard count > 0 else { throw .unreachable("no answer in time") }
            var chunk = [UInt8](repeating: 0, count: Limits.tpmAnswerMaxBytes)
            let length = unsafe chunk.withUnsafeMutableBytes { bytes in
                #if canImport(Musl)
                    unsafe Musl.read(descriptor, bytes.baseAddress, bytes.count)
                #else
                    unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            guard length > 0 else { throw .unreachable("it hung up") }
            return Array(chunk[..<length])
        }
    }

    extension TPMPort {
        /// - Returns: negative if no program listens there.
        private static func connect(_ path: String) -> Int32 {
            let name = Array(path.utf8) + [0]
            guard name.count <= BusAddress.nameMaxBytes else { return -1 }
            #if canImport(Musl)
                let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
            #else
                let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #endif
            guard descriptor >= 0 else { return -1 }
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: name) }
            let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
            let isConnected = unsafe withUnsafePointer(to: &target) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    #if canImport(Musl)
                        unsafe Musl.connect(descriptor, $0, size) == 0
                    #else
                        unsafe Glibc.connect(descriptor, $0, size) == 0
                    #endif
                }
            }
            guard isConnected else {
                close(descriptor)
                return -1
            }
            return descriptor
        }

        private static func connect(_ host: String, _ port: UInt16) -> Int32 {
            var hints = unsafe addrinfo()
            unsafe hints.ai_family = AF_INET
            #if canImport(Musl)
                unsafe hints.ai_socktype = SOCK_STREAM
            #else
                unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            #endif
            var found: UnsafeMutablePointer<addrinfo>?
            guard unsafe getaddrinfo(host, String(port), &hints, &found) == 0, let first = unsafe found else {
                return -1
            }
            defer { unsafe freeaddrinfo(first) }
            let descriptor = socket(unsafe first.pointee.ai_family, unsafe first.pointee.ai_socktype, 0)
            guard descriptor >= 0 else { return -1 }
            #if canImport(Musl)
                let result = unsafe Musl.connect(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen)
            #else
                let result = unsafe Glibc.connect(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen)
            #endif
            guard result == 0 else {
                close(descriptor)
                return -1
            }
            return descriptor
        }
    }
#endif
