#if os(Linux)
    import Foundation
    import KeyturnBase

    @testable import Keyturn

    /// A session bus and GNOME Keyring of a test's own, with a home directory that nobody else has.
    final class RealKeyring: Sendable {
        let directory: TemporaryDirectory
        private let bus: Child
        private let daemon = Locked<Child?>(nil)

        static let isInstalled = ["dbus-daemon", "gnome-keyring-daemon", "secret-tool"].allSatisfy {
            Child.path($0) != nil
        }

        /// Starts both, with the default collection unlocked.
        init() async throws {
            directory = try TemporaryDirectory()
            let address = "unix:path=\(directory.path)/bus"
            let configuration = """
                <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
                <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
                </policy>
                </busconfig>
                """
            let file = directory.path + "/bus.conf"
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: file))
            bus = try Child("dbus-daemon", ["--nofork", "--nopidfile", "--config-file=\(file)"], [:])
            for _ in 0..<500 where (try? service { _ in }) == nil { try await Task.sleep(for: .milliseconds(20)) }
            try await start()
        }

        var environment: [String: String] {
            [
                "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path,
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(directory.path)/bus",
            ]
        }

        var addresses: [BusAddress] { BusAddress.session(environment) }

        var locations: SealedFileStore.Locations {
            .init(stateRoot: directory.path + "/state", configurationRoot: directory.path + "/config")
        }

        func store(_ ambient: Ambient = .live) -> SecretServiceStore {
            SecretServiceStore(locations, addresses: addresses, ambient: ambient)
        }

        /// Starts the keyring and waits until it answers.
        func start() async throws {
            let child = try Child(
                "gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], environment,
                input: "password\n")
            daemon.withLock { $0 = child }
            let deadline = ContinuousClock.now + .seconds(20)
            while ContinuousClock.now < deadline {
                if await store().isOpen() { return }
                try await Task.sleep(for: .milliseconds(20))
            }
            throw AuthError(.storeUnavailable, "the keyring did not start")
        }

        /// Ends the keyring as a crash does.
        func kill() {
            daemon.withLock {
                $0?.kill()
                $0 = nil
            }
        }

        /// One visit to the service, beneath the store.
        func service<Value>(_ work: (SecretService) throws -> Value) throws -> Value {
            let deadline = ContinuousClock.now + .seconds(10)
            return try work(
                SecretService(BusConnection(try BusSocket.connect(addresses, until: deadline), deadline: deadline)))
        }

        /// Locks the default collection, as a screen lock may do.
        func lock() throws {
            try service { service in
                let collection = try service.defaultCollection() ?? ""
                _ = try service.call("/org/freedesktop/secrets", "Service", "Lock", "ao") { writer in
                    writer.array(alignment: 4, [collection]) { $0.write($1) }
                }
            }
        }

        /// The items of a container that can be seen, whoever made them.
        func items(_ container: String) throws -> [String] {
            try service { try $0.search(KeyringItem.search(container)).unlocked }
        }

        /// Puts an item into the keyring, past the store.
        func put(_ attributes: [String: String], _ secret: [UInt8]) throws {
            func once() throws {
                let prompt = try service { service in
                    try service.create(
                        in: service.defaultCollection() ?? "", label: "x", attributes: attributes, secret: secret)
                }
                guard prompt == nil else { throw BusProblem.locked }
            }
            // The service refuses a replacement now and then, and takes it the next time.
            do { try once() } catch BusProblem.refused { try once() }
        }

        /// What another program finds.
        func lookUp(_ container: String) throws -> String {
            try run("secret-tool", ["lookup", "xdg:schema", "dev.keyturn.Session", "container", container])
        }

        /// What a program prints that runs on this bus.
        func run(_ name: String, _ arguments: [String], input: String = "") throws -> String {
            let output = Pipe()
            let child = try Child(name, arguments, environment, input: input, output: output)
            let data = output.fileHandleForReading.readDataToEndOfFile()
            child.wait()
            return String(decoding: data, as: UTF8.self)
        }
    }
#endif
