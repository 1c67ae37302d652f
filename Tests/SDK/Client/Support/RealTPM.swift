#if os(Linux)
    import Foundation
    import KeyturnBase

    @testable import Keyturn

    /// A TPM in software, on a socket of its own.
    final class RealTPM: Sendable {
        private let directory: TemporaryDirectory
        private let program: Child

        static let isInstalled =
            Child.path("swtpm") != nil && (try? TPMLibrary.system.get()) != nil
            && DynamicLibrary(["libtss2-tcti-swtpm.so.0"]) != nil

        init() async throws {
            directory = try TemporaryDirectory()
            let path = directory.path
            program = try Child(
                "swtpm",
                [
                    "socket", "--tpm2", "--tpmstate", "dir=\(path)", "--server", "type=unixio,path=\(path)/tpm",
                    "--ctrl", "type=unixio,path=\(path)/tpm.ctrl", "--flags", "not-need-init,startup-clear",
                ], ["PATH": "/usr/bin:/bin"])
            for _ in 0..<500 where !Self.listens(path + "/tpm.ctrl") || !Self.listens(path + "/tpm") {
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        /// A socket's file is there a moment before anybody listens.
        private static func listens(_ path: String) -> Bool {
            (try? BusSocket.connect([.path(Array(path.utf8))], until: .now + .seconds(1))) != nil
        }

        /// The socket, beside which the control socket has `.ctrl` behind its name.
        var path: String { directory.path + "/tpm" }
        /// As tpm2-tools spell it.
        var name: String { "swtpm:path=\(path)" }
        var address: TPMAddress { get throws { try required(TPMAddress(name)) } }

        func stop() { program.kill() }
        func pause(_ isPaused: Bool) { program.signal(isPaused ? SIGSTOP : SIGCONT) }

        /// Forgets everything, as a TPM does that its owner clears: its seed is another one (TPM2_Clear).
        func clear() throws {
            try say(0x126, [])
        }

        /// Takes no passwords from now on, as after too many wrong ones (TPM2_DictionaryAttackParameters with no tries).
        func lockOut() throws {
            try say(0x13A, TPMBytes.of(0) + TPMBytes.of(1_000) + TPMBytes.of(1_000))
        }

        /// Restarts the TPM, as the machine's restart does: nothing stays loaded (swtpm's CMD_INIT, and TPM2_Startup).
        func restart() throws {
            let deadline = ContinuousClock.now + .seconds(5)
            let control = try BusSocket.connect([.path(Array((path + ".ctrl").utf8))], until: deadline)
            try control.send(TPMBytes.of(2) + TPMBytes.of(0), until: deadline)
            _ = try control.receive(atMost: 4, until: deadline, or: nil)
            try exchange([0x80, 0x01] + TPMBytes.of(12) + TPMBytes.of(0x144) + [0, 0])
        }

        /// A command in the name of the one who may end a lockout.
        private func say(_ code: UInt32, _ parameters: [UInt8]) throws {
            let password = TPMBytes.of(9) + TPMBytes.of(0x4000_0009) + [0, 0, 0, 0, 0]
            let body = TPMBytes.of(code) + TPMBytes.of(0x4000_000A) + password + parameters
            try exchange([0x80, 0x02] + TPMBytes.of(UInt32(6 + body.count)) + body)
        }

        private func exchange(_ command: [UInt8]) throws {
            let deadline = ContinuousClock.now + .seconds(5)
            let socket = try BusSocket.connect([.path(Array(path.utf8))], until: deadline)
            try socket.send(command, until: deadline)
            let answer = try socket.receive(atMost: 4_096, until: deadline, or: nil)
            guard answer.count >= 10, answer[6..<10].allSatisfy({ $0 == 0 }) else { throw TPMProblem.malformed }
        }

        private func required<Value>(_ value: Value?) throws -> Value {
            guard let value else { throw TPMProblem.malformed }
            return value
        }
    }

    /// A program between a TPM's users and the TPM, which notes every byte.
    final class TPMListener: Sendable {
        private let directory: TemporaryDirectory
        private let program: Child

        static let isInstalled = RealTPM.isInstalled && Child.path("python3") != nil

        init(before chip: RealTPM) async throws {
            directory = try TemporaryDirectory()
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/tpm.ctrl", withDestinationPath: chip.path + ".ctrl")
            program = try Child("python3", ["-c", Self.script, directory.path + "/tpm", chip.path], [:])
            for _ in 0..<500 where !FileManager.default.fileExists(atPath: directory.path + "/tpm") {
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        var name: String { "swtpm:path=\(directory.path)/tpm" }

        /// All that went either way since it began.
        var heard: Data {
            get throws { try Data(contentsOf: URL(fileURLWithPath: directory.path + "/tpm.log")) }
        }

        private static let script = """
            import socket, sys, threading
            listener = socket.socket(socket.AF_UNIX)
            log = open(sys.argv[1] + '.log', 'wb', buffering=0)
            listener.bind(sys.argv[1])
            listener.listen(16)
            def pass_on(source, target):
                while data := source.recv(4096):
                    log.write(data)
                    target.sendall(data)
                target.shutdown(socket.SHUT_WR)
            while True:
                user, _ = listener.accept()
                chip = socket.socket(socket.AF_UNIX)
                chip.connect(sys.argv[2])
                for pair in ((user, chip), (chip, user)):
                    threading.Thread(target=pass_on, args=pair, daemon=True).start()
            """
    }

    /// A resource manager before a TPM, as the kernel has one: tpm2-abrmd, on a bus of a test's own.
    final class TPMManager: Sendable {
        private let directory: TemporaryDirectory
        private let bus: Child
        private let program: Child
        private let chip: RealTPM

        static let isInstalled =
            RealTPM.isInstalled && Child.path("dbus-daemon") != nil && program != nil
            && DynamicLibrary(["libtss2-tcti-tabrmd.so.0"]) != nil
        private static let program = ["/usr/sbin/tpm2-abrmd", "/usr/bin/tpm2-abrmd"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }

        init() async throws {
            chip = try await RealTPM()
            directory = try TemporaryDirectory()
            let socket = directory.path + "/bus"
            let file = directory.path + "/bus.conf"
            let configuration = """
                <busconfig><type>session</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
                <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
                </policy>
                </busconfig>
                """
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
            bus = try Child("dbus-daemon", ["--nofork", "--nopidfile", "--config-file=\(file)"], [:])
            for _ in 0..<500 where !FileManager.default.fileExists(atPath: socket) {
                try await Task.sleep(for: .milliseconds(20))
            }
            program = try Child(
                Self.program ?? "", ["--session", "--allow-root", "--max-connections=64", "--tcti=\(chip.name)"],
                ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(socket)"])
            for _ in 0..<500 where (try? isReady()) != true {
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        /// Whether it serves under its name on the bus.
        private func isReady() throws -> Bool {
            let deadline = ContinuousClock.now + .seconds(2)
            let addresses = BusAddress.system(["DBUS_SYSTEM_BUS_ADDRESS": busAddress])
            let connection = try BusConnection(BusSocket.connect(addresses, until: deadline), deadline: deadline)
            var message = BusMessage(.call)
            message.destination = "org.freedesktop.DBus"
            message.path = "/org/freedesktop/DBus"
            message.interface = "org.freedesktop.DBus"
            message.member = "NameHasOwner"
            message.signature = "s"
            var writer = BusWriter()
            writer.write("com.intel.tss2.Tabrmd")
            message.body = writer.bytes
            var body = try connection.call(message).reader("b")
            return try body.bool()
        }

        /// What a process must have in its environment to find it.
        var busAddress: String { "unix:path=\(directory.path)/bus" }
        static let name = "tabrmd:bus_type=session"
    }
#endif
