#if os(Linux)
    import Foundation
    import KeyturnBase

    @testable import Keyturn

    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A session bus that says what a test wants, to one client after the other.
    final class FakeBus: Sendable {
        /// What is answered to a call: bytes, one message after the other; `nil` hangs up.
        typealias Script = @Sendable (BusMessage) -> [[UInt8]]?

        let address: BusAddress
        private let listener: Int32
        private let directory: TemporaryDirectory
        private let heard = Locked<[String]>([])

        /// - Parameters:
        ///   - welcome: What is said in place of `OK`.
        ///   - isAbstract: Listens in the abstract namespace.
        init(welcome: String = "OK 0123456789abcdef\r\n", isAbstract: Bool = false, _ script: @escaping Script) throws {
            directory = try TemporaryDirectory()
            let path = directory.path + "/bus"
            address = isAbstract ? .abstract(Array(path.utf8)) : .path(Array(path.utf8))
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            self.listener = listener
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            let name = isAbstract ? [0] + Array(path.utf8) : Array(path.utf8) + [0]
            unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: name) }
            let isBound = unsafe withUnsafePointer(to: &target) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(listener, $0, socklen_t(MemoryLayout<sa_family_t>.size + name.count)) == 0
                }
            }
            guard isBound, listen(listener, 16) == 0 else { throw AuthError(.unavailable, "no socket") }
            DetachedThread.start { [self] in serve(welcome, script) }
        }

        /// Hangs up, and lets the thread end.
        func stop() {
            shutdown(listener, Int32(SHUT_RDWR))
        }

        /// The methods that were called, in order.
        var calls: [String] { heard.withLock { $0 } }

        private func serve(_ welcome: String, _ script: @escaping Script) {
            while true {
                let accepted = accept(listener, nil, nil)
                guard accepted >= 0 else { break }
                DetachedThread.start { [self] in Client(accepted).serve(welcome) { self.answer($0, script) } }
            }
            close(listener)
        }

        private func answer(_ message: BusMessage, _ script: Script) -> [[UInt8]]? {
            heard.withLock { $0.append(message.member ?? "") }
            if message.member == "Hello" { return [FakeBus.reply(to: message, "s") { $0.write(":1.1") }] }
            if message.member == "AddMatch" { return [FakeBus.reply(to: message, "") { _ in }] }
            return script(message)
        }

        static func reply(
            to message: BusMessage, _ signature: String, _ body: (inout BusWriter) -> Void
        ) -> [UInt8] {
            var reply = BusMessage(.reply)
            reply.serial = 1
            reply.replySerial = message.serial
            reply.sender = ":1.7"
            reply.signature = signature
            var writer = BusWriter()
            body(&writer)
            reply.body = writer.bytes
            return reply.encoded()
        }

        static func error(to message: BusMessage, _ name: String) -> [UInt8] {
            var reply = BusMessage(.error)
            reply.serial = 1
            reply.replySerial = message.serial
            reply.errorName = name
            return reply.encoded()
        }

        /// The signal that ends a prompt.
        static func completed(_ prompt: String, isDismissed: Bool, sender: String = ":1.7") -> [UInt8] {
            var signal = BusMessage(.signal)
            signal.serial = 1
            signal.path = prompt
            signal.interface = "org.freedesktop.Secret.Prompt"
            signal.member = "Completed"
            signal.sender = sender
            signal.signature = "bv"
            var writer = BusWriter()
            writer.write(isDismissed)
            writer.write(signature: "s")
            writer.write("")
            signal.body = writer.bytes
            return signal.encoded()
        }
    }

    /// One client of the fake bus.
    private struct Client {
        private let socket: BusSocket
        private let deadline = ContinuousClock.now + .seconds(30)

        init(_ descriptor: Int32) {
            socket = BusSocket(connected: descriptor)
        }

        func serve(_ welcome: String, _ answer: (BusMessage) -> [[UInt8]]?) {
            var received: [UInt8] = []
            func fill(_ count: Int) throws {
                while received.count < count {
                    received += try socket.receive(atMost: 65_536, until: deadline, or: nil)
                }
            }
            func line() throws {
                while !received.contains(UInt8(ascii: "\n")) { try fill(received.count + 1) }
                received = Array(received.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
            }
            do {
                try line()
                try socket.send(Array(welcome.utf8), until: deadline)
                try line()
                while true {
                    try fill(BusMessage.headBytes)
                    let length = try BusMessage.length(Array(received.prefix(BusMessage.headBytes)))
                    try fill(length)
                    let message = try BusMessage(Array(received.prefix(length)))
                    received.removeFirst(length)
                    guard let answers = answer(message) else { return }
                    for bytes in answers { try socket.send(bytes, until: deadline) }
                }
            } catch {}
        }
    }
#endif
