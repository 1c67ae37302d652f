#if os(Linux)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// A connection to a message bus, for one thread, which it may hold up until the deadline.
    final class BusConnection {
        private let socket: BusSocket
        private var received: [UInt8] = []
        private var lastSerial: UInt32 = 0
        /// The signal that is waited for after calls; what else comes is passed over.
        private let awaited: String
        /// Such signals that came while a reply was awaited.
        private var signals: [BusMessage] = []
        /// When every call must be answered.
        var deadline: ContinuousClock.Instant

        /// Introduces itself on a connected socket.
        ///
        /// - Parameter awaited: The name of the signal that this connection waits for.
        init(
            _ socket: BusSocket, deadline: ContinuousClock.Instant, awaiting awaited: String = "Completed"
        ) throws(BusProblem) {
            self.awaited = awaited
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
        /// - Throws: ``BusProblem/refused(_:)`` for an error reply.
        func call(_ message: BusMessage) throws(BusProblem) -> BusMessage {
            var message = message
            lastSerial += 1
            message.serial = lastSerial
            try socket.send(message.encoded(), until: deadline)
            for _ in 0..<Limits.busStrayMax {
                let answer = try nextMessage(until: deadline, or: nil)
                if answer.kind == .signal, answer.member == awaited, signals.count < Limits.busSignalsMax {
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
        ) throws(BusProblem) -> BusMessage {
            if let index = signals.firstIndex(where: isWanted) { return signals.remove(at: index) }
            for _ in 0..<Limits.busStrayMax {
                let message = try nextMessage(until: deadline, or: interrupt)
                if message.kind == .signal, isWanted(message) { return message }
            }
            throw .malformed("nothing but other people's messages")
        }

        /// Not every service sends its signals to us alone: asks the bus for those of this description.
        func listen(to rule: String) throws(BusProblem) {
            var message = BusMessage(.call)
            message.destination = Self.busName
            message.path = "/org/freedesktop/DBus"
            message.interface = Self.busName
            message.member = "AddMatch"
            message.signature = "s"
            var writer = BusWriter()
            writer.write(rule)
            message.body = writer.bytes
            _ = try call(message)
        }

        private func nextMessage(
            until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt?
        ) throws(BusProblem) -> BusMessage {
            try fill(BusMessage.headBytes, until: deadline, or: interrupt)
            let length = try BusMessage.length(Array(received.prefix(BusMessage.headBytes)))
            try fill(length, until: deadline, or: interrupt)
            let message = try BusMessage(Array(received.prefix(length)))
            received.removeFirst(length)
            return message
        }

        private func fill(
            _ count: Int, until deadline: ContinuousClock.Instant, or interrupt: BusInterrupt?
        ) throws(BusProblem) {
            while received.count < count {
                received += try socket.receive(atMost: 65_536, until: deadline, or: interrupt)
            }
        }

        /// The mechanism EXTERNAL: the system tells the bus who we are (D-Bus Specification, “Authentication”).
        private func authenticate() throws(BusProblem) {
            let digits = Array("0123456789abcdef".utf8)
            let user = String(geteuid()).utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }
            try socket.send([0] + Array("AUTH EXTERNAL ".utf8) + user + Array("\r\n".utf8), until: deadline)
            let answer = try line()
            guard answer.starts(with: Array("OK ".utf8)) else { throw .unreachable("the bus does not let us in") }
            try socket.send(Array("BEGIN\r\n".utf8), until: deadline)
        }

        private func line() throws(BusProblem) -> [UInt8] {
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
