#if os(Linux)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// Ends the wait of another thread. Once raised it stays raised.
    final class BusInterrupt: Sendable {
        /// Readable as soon as it is raised; -1 if the system had none to give, and then it never is.
        let descriptor: Int32
        private let writingEnd: Int32

        init() {
            var ends: [Int32] = [-1, -1]
            if unsafe pipe(&ends) == 0 {
                for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            }
            descriptor = ends[0]
            writingEnd = ends[1]
        }

        deinit {
            for end in [descriptor, writingEnd] where end >= 0 { close(end) }
        }

        /// At most once: a pipe takes one byte without a reader.
        func raise() {
            var one: UInt8 = 1
            _ = unsafe write(writingEnd, &one, 1)
        }
    }
#endif
