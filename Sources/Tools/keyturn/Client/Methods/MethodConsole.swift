internal import Foundation
internal import KeyturnBase

/// Where a person, or a program in their place, answers: the terminal, or one line of standard input each.
struct MethodConsole: Sendable {
    let isTerminal: Bool
    /// The next line that was typed; `nil` if there is none.
    let nextLine: @Sendable () -> String?

    static var live: MethodConsole {
        MethodConsole(isTerminal: isatty(STDIN_FILENO) == 1, nextLine: { readLine() })
    }

    /// Longest answer, in bytes: a link with a long token.
    private static let lineBytesMax = 8_192

    /// Says something to the person; never mixed with what programs read.
    func tell(_ text: String) {
        Live.writeError(text + "\n")
    }

    /// - Throws: ``CommandFailure`` if nothing was answered.
    func ask(_ prompt: String) throws -> String {
        if isTerminal { Live.writeError(prompt) }
        return try line(missing: prompt)
    }

    /// The same without showing what is typed.
    func askSecret(_ prompt: String) throws -> Secret {
        guard isTerminal else { return Secret(try line(missing: prompt)) }
        let echo = TerminalEcho()
        Live.writeError(prompt)
        defer {
            echo.restore()
            Live.writeError("\n")
        }
        return Secret(try line(missing: prompt))
    }

    /// Runs `work`, and shows that it is running. Ctrl-C cancels it: what is being asked is finished, nothing more is.
    func waiting<Value: Sendable>(
        showsDots: Bool = true, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // Unstructured, so that a signal can cancel it.
        let task = Task { try await work() }
        let interrupt = Interrupt { task.cancel() }
        let dots = isTerminal && showsDots ? Task { await Self.dots() } : nil
        defer {
            dots?.cancel()
            interrupt.end()
            if isTerminal && showsDots { Live.writeError("\n") }
        }
        return try await task.value
    }

    private static func dots() async {
        while (try? await Task.sleep(for: .seconds(1))) != nil { Live.writeError(".") }
    }

    private func line(missing prompt: String) throws -> String {
        guard let line = nextLine(), line.utf8.count <= Self.lineBytesMax else { throw nothing(prompt) }
        let text = line.trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { throw nothing(prompt) }
        return text
    }

    private func nothing(_ prompt: String) -> CommandFailure {
        let what = prompt.trimmingCharacters(in: CharacterSet(charactersIn: ": "))
        return .refused("no answer to \"\(what)\"\(isTerminal ? "" : " on standard input").")
    }
}
