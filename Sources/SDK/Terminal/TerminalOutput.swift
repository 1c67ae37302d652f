internal import Foundation
internal import KeyturnBase

/// Where a sign-in writes, and what can be done there.
public struct TerminalOutput: Sendable {
    /// Columns of the terminal that text goes to; `nil`: it goes to a file or a program, which gets no picture.
    public let columns: Int?
    /// Whether the picture may have colours. Without them it is light on dark.
    public let hasColours: Bool
    /// Whether the line that counts down can be written over.
    public let isLive: Bool
    let write: @Sendable (String) -> Void
    let writeStatus: @Sendable (String) -> Void

    /// An output of one's own.
    ///
    /// - Parameters:
    ///   - columns: How wide it is; `nil`: it is no terminal.
    ///   - hasColours: Whether the picture may have colours.
    ///   - isLive: Whether the line that counts down can be written over (a carriage return goes back to its start).
    ///   - write: Takes what stays on the screen.
    ///   - writeStatus: Takes the line that counts down, or one line for each thing that happens.
    public init(
        columns: Int?, hasColours: Bool, isLive: Bool, write: @escaping @Sendable (String) -> Void,
        writeStatus: @escaping @Sendable (String) -> Void
    ) {
        self.columns = columns
        self.hasColours = hasColours
        self.isLive = isLive
        self.write = write
        self.writeStatus = writeStatus
    }

    /// Text on standard output, the line that counts down on standard error. `NO_COLOR` is heeded.
    public static var standardOutput: TerminalOutput { live(STDOUT_FILENO, .standardOutput) }

    /// Everything on standard error: standard output is for data.
    public static var standardError: TerminalOutput { live(STDERR_FILENO, .standardError) }

    private static func live(_ descriptor: Int32, _ handle: FileHandle) -> TerminalOutput {
        TerminalOutput(
            columns: columns(of: descriptor),
            hasColours: ProcessInfo.processInfo.environment["NO_COLOR"]?.isEmpty != false,
            isLive: isatty(STDERR_FILENO) == 1,
            // At once: a program that reads along must not wait for a buffer to fill.
            write: { handle.write(Data($0.utf8)) },
            writeStatus: { FileHandle.standardError.write(Data($0.utf8)) })
    }

    /// How wide a terminal is; `nil` if it is none.
    private static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
