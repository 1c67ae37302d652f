#if os(Linux)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// A connection to the session bus, for one thread, which it may hold up until the deadline.
    final class BusConnection {
        private let socket: BusSocket
        private var received: [UInt8] = []
        private var lastSerial: UInt32 = 0
        /// Completed prompts that were told of while a reply was awaited.
        private var signals: [BusMessage] = []
        /// When every call must be answered.
        var deadline: ContinuousClock.Instant

        /// Introduces itself on a connected socket.
        init(_ socket: BusSocket, deadline: ContinuousClock.Instant) throws(KeyringProblem) {
            self.socket = socket
            self.deadline = deadline
            try authenticate()
            var hello = BusMessage(.call)
            hello.destination = Self.busName
            hello.path = "/org/freedesktop/DBus"
            hello.interface = Self.busName
            hello.member = "Hello"
            _ = try call(hello)
        }

        static let busName = "org.freedesktop.DBus"

        /// Calls a method and waits for its reply.
        ///
        /// - Throws: ``KeyringProblem/refused(_:)`` for an error reply.
        func call(_ message: BusMessage) throws(KeyringProblem) -> BusMessage {
            var message = message
            lastSerial += 1
            message.serial = lastSerial
            try socket.send(message.encoded(), until: deadline)
            for _ in 0..<Limits.busStrayMax {
                let answer = try nextMessage(until: deadline, or: nil)
                if answer.kind == .signal, answer.member == "Completed", signals.count < Limits.busSignalsMax {
                    signals.append(answer)
                }
                guard answer.replySerial == lastSerial else { continue }
                if answer.kind == .reply { return answer }
                if answer.kind == .error { throw .refused(answer.errorName ?? "no name") }
            }
            throw .malformed("nothing but other people's messages")
        }

        /// Waits for a signal.
        func signal(
            where isWanted: (BusMessage) -> Bool, until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt?
        ) throws(KeyringProblem) -> BusMessage {
            if let early = signals.first(where: isWanted) { return early }
            for _ in 0..<Limits.busStrayMax {
                let message = try nextMessage(until: deadline, or: interrupt)
                if message.kind == .signal, isWanted(message) { return message }
            }
            throw .malformed("nothing but other people's messages")
        }

        private func nextMessage(
            until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt?
        ) throws(KeyringProblem) -> BusMessage {
            try fill(BusMessage.headBytes, until: deadline, or: interrupt)
            let length = try BusMessage.length(Array(received.prefix(BusMessage.headBytes)))
            try fill(length, until: deadline, or: interrupt)
            let message = try BusMessage(Array(received.prefix(length)))
            received.removeFirst(length)
            return message
        }

        private func fill(
            _ count: Int, until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt?
        ) throws(KeyringProblem) {
            while received.count < count {
                received += try socket.receive(atMost: 65_536, until: deadline, or: interrupt)
            }
        }

        /// The mechanism EXTERNAL: the system tells the bus who we are (D-Bus Specification, “Authentication”).
        private func authenticate() throws(KeyringProblem) {
            let digits = Array("0123456789abcdef".utf8)
            let user = String(geteuid()).utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
            try socket.send([0] + Array("AUTH EXTERNAL ".utf8) + user + Array("\r\n".utf8), until: deadline)
            let answer = try line()
            guard answer.starts(with: Array("OK ".utf8)) else { throw .unreachable("the bus does not let us in") }
            try socket.send(Array("BEGIN\r\n".utf8), until: deadline)
        }

        private func line() throws(KeyringProblem) -> [UInt8] {
            while true {
                if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { received.removeFirst(end + 1) }
                    return Array(received[..<end])
                }
                guard received.count < 1_024 else { throw .malformed("a line is too long") }
                received += try socket.receive(atMost: 1_024, until: deadline, or: nil)
            }
        }
    }
#endif
