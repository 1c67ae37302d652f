internal import Foundation
internal import Keyturn
internal import KeyturnBase
internal import SignIn
internal import Synchronization

/// Signs a person in who types a code on another device. Says where and what, draws the address, and counts down.
struct DeviceLogin: Sendable {
    let auth: Keyturn
    let options: DeviceSignInOptions
    let screen: DeviceScreen

    /// - Throws: the library's `AuthError`.
    func run() async throws -> SignInResult {
        let (auth, options, screen) = (auth, options, screen)
        // Unstructured, so that a signal can cancel it.
        let task = Task {
            try await auth.deviceSignIn(options) { progress in screen.show(progress) }
        }
        let interrupt = Interrupt { task.cancel() }
        let clock = Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil { screen.tick() }
        }
        defer {
            clock.cancel()
            interrupt.end()
            screen.finish()
        }
        return try await task.value
    }
}

/// What the person sees while their other device is busy.
final class DeviceScreen: Sendable {
    /// What the terminal can do.
    struct Abilities: Sendable {
        /// Columns of the terminal that text goes to; `nil`: it goes to a file or a program.
        let columns: Int?
        let hasColours: Bool
        /// Whether the line that counts down can be written over.
        let isLive: Bool
    }

    private struct State: Sendable {
        var deadline: Int64?
        var note = ""
        var length = 0
    }

    private let state = Mutex(State())
    private let abilities: Abilities
    private let uptime: @Sendable () -> Int64
    private let write: @Sendable (String) -> Void
    private let writeStatus: @Sendable (String) -> Void

    /// - Parameters:
    ///   - uptime: Seconds by a clock that never goes back.
    ///   - write: Takes what stays on the screen.
    ///   - writeStatus: Takes the line that changes.
    init(
        _ abilities: Abilities, uptime: @escaping @Sendable () -> Int64, write: @escaping @Sendable (String) -> Void,
        writeStatus: @escaping @Sendable (String) -> Void
    ) {
        self.abilities = abilities
        self.uptime = uptime
        self.write = write
        self.writeStatus = writeStatus
    }

    func show(_ progress: DeviceSignInProgress) {
        switch progress {
        case .code(let code):
            write(text(code))
            state.withLock { $0.deadline = uptime() + code.expiresInSeconds }
            if !abilities.isLive { writeStatus("Waiting for you there. Ctrl-C gives up.\n") }
        case .waiting: note("")
        case .slowedDown(let seconds): note(" The server wants to be asked every \(seconds) seconds.")
        case .unreachable: note(" The server cannot be reached; trying again.")
        }
        tick()
    }

    /// Writes the line that counts down once more.
    func tick() {
        guard abilities.isLive else { return }
        let now = uptime()
        let line = state.withLock { state -> String? in
            guard let deadline = state.deadline else { return nil }
            let left = max(0, deadline - now)
            let clock = "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60)"
            let line = "Waiting for you there, \(clock) left. Ctrl-C gives up.\(state.note)"
            defer { state.length = line.count }
            return line + String(repeating: " ", count: max(0, state.length - line.count))
        }
        if let line { writeStatus("\r\(line)") }
    }

    /// Leaves the line that counts down.
    func finish() {
        let isOpen = state.withLock { state in
            defer { state.deadline = nil }
            return state.deadline != nil
        }
        if isOpen, abilities.isLive { writeStatus("\n") }
    }

    private func note(_ text: String) {
        let isNew = state.withLock { state in
            defer { state.note = text }
            return state.note != text
        }
        if isNew, !text.isEmpty, !abilities.isLive { writeStatus(text.dropFirst() + "\n") }
    }

    /// The picture first: what must be readable in a low terminal stands at the end.
    private func text(_ code: DeviceSignInCode) -> String {
        let picture = picture(code)
        return """
            \(picture)\(picture.isEmpty ? "On" : "or, on") any device with a browser, open

                \(code.verificationURI)

            and type the code

                \(code.userCode)

            Agree there only if it shows this code.

            """
    }

    /// Empty if there is no terminal that it fits into.
    private func picture(_ code: DeviceSignInCode) -> String {
        guard let columns = abilities.columns, let uri = code.verificationURIComplete,
            let lines = QRCode(uri)?.blocks(inColour: abilities.hasColours), lines[0].columns <= columns
        else { return "" }
        return "Scan this with a telephone,\n\n" + lines.map { $0.text + "\n" }.joined() + "\n"
    }
}
