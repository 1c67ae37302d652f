#if os(Linux) || os(macOS)
    internal import Foundation
    internal import KeyturnBase

    /// Brings a URL in front of a person: starts a browser, or says where to go.
    struct BrowserLaunch: Sendable {
        let startsBrowser: Bool
        let announce: (@Sendable (String) -> Void)?
        /// The command lines to try, in order; `nil`: those of this machine.
        var commands: [[String]]?

        /// - Throws: `service.unsupported` if no browser could be started and nothing takes the announcement.
        func show(_ url: String) async throws(AuthError) {
            if startsBrowser {
                for command in commands ?? Self.commands(ProcessInfo.processInfo.environment) {
                    if await Self.start(Self.arguments(command, url: url)) { return }
                }
            }
            guard let announce else {
                throw AuthError(.unsupported, "no browser could be started: set BROWSER, or announce the URL")
            }
            announce(url)
        }

        /// What `$BROWSER` lists, separated by colons, and then the desktop's own way.
        static func commands(_ environment: [String: String]) -> [[String]] {
            let chosen = (environment["BROWSER"] ?? "").split(separator: ":").map { entry in
                entry.split(separator: " ").map(String.init)
            }
            #if os(macOS)
                let usual = [["open"]]
            #else
                // Without a display xdg-open may start a text browser in the terminal, which is not wanted here.
                let hasDisplay = environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
                let usual = hasDisplay ? [["xdg-open"]] : []
            #endif
            return chosen.filter { !$0.isEmpty } + usual
        }

        /// The URL takes the place of `%s`, or the last place. No shell sees it.
        static func arguments(_ command: [String], url: String) -> [String] {
            guard command.contains(where: { $0.contains("%s") }) else { return command + [url] }
            return command.map { word in
                word.split(separator: "%s", omittingEmptySubsequences: false).joined(separator: url)
            }
        }

        /// Starts a command apart from this process's terminal.
        ///
        /// - Returns: whether it runs, or ended well within a moment.
        private static func start(_ arguments: [String]) async -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = arguments
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            for _ in 0..<20 where process.isRunning {
                try? await Task.sleep(for: .milliseconds(10))
            }
            return process.isRunning || process.terminationStatus == 0
        }
    }
#endif
