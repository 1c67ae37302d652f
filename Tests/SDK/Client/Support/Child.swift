#if os(Linux)
    import Foundation
    import Glibc

    /// A process that is killed when it is released.
    final class Child: Sendable {
        private let process: Process

        init(
            _ name: String, _ arguments: [String], _ environment: [String: String], input: String? = nil,
            output: Pipe? = nil
        ) throws {
            process = Process()
            process.executableURL = URL(
                fileURLWithPath: name.hasPrefix("/") ? name : Self.path(name) ?? "/nowhere/" + name)
            process.arguments = arguments
            process.environment = environment
            process.standardError = FileHandle.nullDevice
            process.standardOutput = output ?? FileHandle.nullDevice
            let pipe = Pipe()
            process.standardInput = input == nil ? FileHandle.nullDevice : pipe
            try process.run()
            if let input { try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
            try pipe.fileHandleForWriting.close()
        }

        deinit { kill() }

        var isRunning: Bool { process.isRunning }

        func kill() {
            if process.isRunning { _ = Glibc.kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
        }

        func signal(_ number: Int32) {
            _ = Glibc.kill(process.processIdentifier, number)
        }

        static func path(_ name: String) -> String? {
            ["/usr/bin/", "/usr/local/bin/", "/bin/", "/usr/libexec/"].map { $0 + name }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }

        func wait() {
            process.waitUntilExit()
        }
    }
#endif
