internal import Keyturn
internal import KeyturnBase
internal import KeyturnQRCode

/// What the person sees while their other device is busy.
final class DeviceScreen: Sendable {
    private struct State: Sendable {
        var deadline: Int64?
        var note = ""
        var length = 0
    }

    private let state = Locked(State())
    private let output: TerminalOutput
    private let uptime: @Sendable () -> Int64

    /// - Parameter uptime: Seconds by a clock that never goes back.
    init(_ output: TerminalOutput, uptime: @escaping @Sendable () -> Int64) {
        self.output = output
        self.uptime = uptime
    }

    func show(_ progress: DeviceSignInProgress) {
        switch progress {
        case .code(let code):
            output.write(text(code))
            state.withLock { $0.deadline = uptime() + code.expiresInSeconds }
            if !output.isLive { output.writeStatus("Waiting for you there. Ctrl-C gives up.\n") }
        case .waiting: note("")
        case .slowedDown(let seconds): note(" The server wants to be asked every \(seconds) seconds.")
        case .unreachable: note(" The server cannot be reached; trying again.")
        }
        tick()
    }

    /// Writes the line that counts down once more.
    func tick() {
        guard output.isLive else { return }
        let now = uptime()
        let line = state.withLock { state -> String? in
            guard let deadline = state.deadline else { return nil }
            let left = max(0, deadline - now)
            let clock = "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60)"
            let line = "Waiting for you there, \(clock) left. Ctrl-C gives up.\(state.note)"
            defer { state.length = line.count }
            return line + String(repeating: " ", count: max(0, state.length - line.count))
        }
        if let line { output.writeStatus("\r\(line)") }
    }

    /// Leaves the line that counts down.
    func finish() {
        let isOpen = state.withLock { state in
            defer { state.deadline = nil }
            return state.deadline != nil
        }
        if isOpen, output.isLive { output.writeStatus("\n") }
    }

    private func note(_ text: String) {
        let isNew = state.withLock { state in
            defer { state.note = text }
            return state.note != text
        }
        if isNew, !text.isEmpty, !output.isLive { output.writeStatus(text.dropFirst() + "\n") }
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
        guard let columns = output.columns, let uri = code.verificationURIComplete,
            let lines = QRCode(uri)?.blocks(inColour: output.hasColours), lines[0].columns <= columns
        else { return "" }
        return "Scan this with a telephone,\n\n" + lines.map { $0.text + "\n" }.joined() + "\n"
    }
}
