#if os(Linux)
    import Foundation
    import KeyturnBase

    @testable import Keyturn

    /// fprintd with a reader that exists in software alone, on a system bus of a test's own; polkit is played.
    final class RealFingerprints: Sendable {
        let directory: TemporaryDirectory
        private let bus: Child
        private let polkit: Child
        private let daemon: Child

        static let isInstalled =
            ["dbus-daemon", "fprintd", "fprintd-enroll", "fprintd-delete", "python3"].allSatisfy {
                Child.path($0) != nil
            }
            && FileManager.default.fileExists(
                atPath: "/usr/lib/python3/dist-packages/dbusmock/templates/polkitd.py")

        /// Starts all of it. Nobody has enrolled a finger yet.
        init() async throws {
            directory = try TemporaryDirectory()
            let socket = directory.path + "/bus"
            let configuration = """
                <busconfig><type>session</type><listen>unix:path=\(socket)</listen><auth>EXTERNAL</auth>
                <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
                </policy>
                </busconfig>
                """
            let file = directory.path + "/bus.conf"
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.createDirectory(
                atPath: directory.path + "/state", withIntermediateDirectories: false)
            let environment = [
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(socket)", "HOME": directory.path,
                "STATE_DIRECTORY": directory.path + "/state", "FP_VIRTUAL_DEVICE": directory.path + "/reader",
                "FP_DRIVERS_WHITELIST": "virtual_device", "FP_DRIVERS_ALLOWLIST": "virtual_device",
            ]
            bus = try Child("dbus-daemon", ["--nofork", "--nopidfile", "--config-file=\(file)"], [:])
            for _ in 0..<500 where !FileManager.default.fileExists(atPath: socket) {
                try await Task.sleep(for: .milliseconds(20))
            }
            polkit = try Child("python3", ["-m", "dbusmock", "--system", "--template", "polkitd"], environment)
            daemon = try Child("fprintd", ["--no-timeout"], environment)
            let deadline = ContinuousClock.now + .seconds(20)
            while ContinuousClock.now < deadline {
                if (try? allow(true)) != nil, (try? FprintdClient(addresses)) != nil { return }
                try await Task.sleep(for: .milliseconds(50))
            }
            throw AuthError(.unavailable, "fprintd did not start")
        }

        var addresses: [BusAddress] {
            BusAddress.system(["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory.path)/bus"])
        }

        /// Whether polkit lets anybody use the reader.
        func allow(_ isAllowed: Bool) throws {
            let deadline = ContinuousClock.now + .seconds(2)
            let connection = try BusConnection(BusSocket.connect(addresses, until: deadline), deadline: deadline)
            var message = BusMessage(.call)
            message.destination = "org.freedesktop.PolicyKit1"
            message.path = "/org/freedesktop/PolicyKit1/Authority"
            message.interface = "org.freedesktop.DBus.Mock"
            message.member = "AllowUnknown"
            message.signature = "b"
            var writer = BusWriter()
            writer.write(isAllowed)
            message.body = writer.bytes
            _ = try connection.call(message)
        }

        /// What happens at the reader: `SCAN name` is a finger, `RETRY 0` one that cannot be read.
        func happens(_ what: String) throws {
            let deadline = ContinuousClock.now + .seconds(2)
            let socket = try BusSocket.connect([.path(Array((directory.path + "/reader").utf8))], until: deadline)
            try socket.send(Array(what.utf8), until: deadline)
        }

        /// Enrols a finger by the system's own program.
        ///
        /// - Parameter print: What the reader will see.
        func enrol(_ finger: String, _ print: String) async throws {
            let program = try run("fprintd-enroll", ["-f", finger])
            while program.isRunning {
                try? happens("SCAN \(print)")
                try await Task.sleep(for: .milliseconds(60))
            }
        }

        func forgetFingers() throws {
            try run("fprintd-delete", [NSUserName()]).wait()
        }

        private func run(_ name: String, _ arguments: [String]) throws -> Child {
            try Child(
                name, arguments,
                ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(directory.path)/bus", "HOME": directory.path])
        }

        /// A device whose person does, at each moment, what `person` says.
        func device(
            _ store: any SessionStore, keys: LinuxBiometrics.Keys = .software,
            person: @escaping @Sendable (FingerprintMoment) -> String?
        ) -> LinuxBiometrics {
            LinuxBiometrics(store: store, keys: keys, addresses: addresses, ambient: .live) { [self] moment, _ in
                if let what = person(moment) { try? happens(what) }
            }
        }
    }
#endif
