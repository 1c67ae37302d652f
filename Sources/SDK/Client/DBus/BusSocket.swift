#if os(Linux)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// A connected local socket, closed when it is released. Every wait has an end.
    final class BusSocket {
        private let descriptor: Int32

        /// Takes over a socket that is connected, and makes it non-blocking.
        init(connected descriptor: Int32) {
            self.descriptor = descriptor
            let flags = fcntl(descriptor, F_GETFL)
            if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }

        deinit {
            close(descriptor)
        }

        /// Connects to the first of `addresses` where a program listens.
        static func connect(
            _ addresses: [BusAddress], until deadline: ContinuousClock.Instant
        ) throws(BusProblem) -> BusSocket {
            var last = BusProblem.unreachable("no address of a session bus is set")
            for address in addresses {
                do throws(BusProblem) {
                    return try connect(address, until: deadline)
                } catch {
                    last = error
                }
            }
            throw last
        }

        private static func connect(
            _ address: BusAddress, until deadline: ContinuousClock.Instant
        ) throws(BusProblem) -> BusSocket {
            #if canImport(Musl)
                let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
            #else
                let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #endif
            guard descriptor >= 0 else { throw .unreachable("a socket cannot be made, errno \(errno)") }
            let result = BusSocket(connected: descriptor)
            while !result.connectNow(address) {
                // A full queue of a local socket says EAGAIN, and nothing tells when there is room again.
                guard errno == EAGAIN || errno == EINTR else {
                    throw .unreachable("nobody listens at the bus address, errno \(errno)")
                }
                guard ContinuousClock.now < deadline else { throw .timedOut }
                _ = poll(nil, 0, 10)
            }
            try result.checkOwner()
            return result
        }

        private func connectNow(_ address: BusAddress) -> Bool {
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            let name =
                switch address {
                case .path(let path): path + [0]
                case .abstract(let name): [0] + name
                }
            unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: name) }
            let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
            return unsafe withUnsafePointer(to: &target) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    #if canImport(Musl)
                        unsafe Musl.connect(descriptor, $0, size) == 0
                    #else
                        unsafe Glibc.connect(descriptor, $0, size) == 0
                    #endif
                }
            }
        }

        /// What is said here is secret: only this user's bus, or the administrator's, may hear it.
        private func checkOwner() throws(BusProblem) {
            // `struct ucred`: process, user, group; four bytes each.
            var peer: [UInt32] = [0, UInt32.max, UInt32.max]
            var size = socklen_t(12)
            guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, size == 12,
                peer[1] == geteuid() || peer[1] == 0
            else { throw .unreachable("the bus belongs to another user") }
        }

        func send(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(BusProblem) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { bytes in
                    #if canImport(Musl)
                        unsafe Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    #else
                        unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    #endif
                }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN || errno == EINTR {
                    try wait(for: POLLOUT, until: deadline, or: nil)
                } else {
                    throw .closed
                }
            }
        }

        /// Some bytes, at least one and at most `countMax`.
        func receive(
            atMost countMax: Int, until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt?
        ) throws(BusProblem) -> [UInt8] {
            var chunk = [UInt8](repeating: 0, count: min(countMax, 65_536))
            while true {
                // Looks at the clock each time: a program that sends without end must not be read without end.
                guard ContinuousClock.now < deadline else { throw .timedOut }
                let count = unsafe chunk.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
                if count > 0 { return Array(chunk[..<count]) }
                guard count < 0, errno == EAGAIN || errno == EINTR else { throw .closed }
                try wait(for: POLLIN, until: deadline, or: interrupt)
            }
        }

        private func wait(
            for events: Int32, until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt?
        ) throws(BusProblem) {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .timedOut }
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
            // poll passes over a negative descriptor.
            var watched = [
                pollfd(fd: descriptor, events: Int16(events), revents: 0),
                pollfd(fd: interrupt?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let count = unsafe poll(&watched, 2, Int32(clamping: milliseconds + 1))
            if count > 0, watched[1].revents != 0 { throw .interrupted }
            guard count >= 0 || errno == EINTR else { throw .closed }
        }
    }
#endif
