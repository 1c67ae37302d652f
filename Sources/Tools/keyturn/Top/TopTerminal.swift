internal import Dispatch
internal import Foundation
internal import KeyturnBase

/// A terminal that shows one picture after another, and takes keys as they are pressed. What was there before comes back
/// at the end.
final class TopTerminal {
    private let original: termios
    private let interrupt: Interrupt

    /// - Returns: `nil` if standard output or input is no terminal.
    init?() {
        guard isatty(STDOUT_FILENO) == 1, isatty(STDIN_FILENO) == 1 else { return nil }
        var settings = termios()
        unsafe tcgetattr(STDIN_FILENO, &settings)
        let original = settings
        self.original = original
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        interrupt = Interrupt {
            Self.leave(original)
            exit(0)
        }
        Live.write("\u{1B}[?1049h\u{1B}[?25l")
    }

    var width: Int { Self.size().columns }
    var height: Int { Self.size().rows }

    func show(_ screen: TopScreen, _ activity: ServerActivity, _ now: UnixTime) {
        // Each line is cleared behind its end, and the rest of the screen at last: nothing flickers.
        let lines = screen.lines(activity, at: now).prefix(max(1, screen.height - 1))
        Live.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
    }

    /// - Returns: whether q was pressed before the time was over.
    func waitForQuit(seconds: Int) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline {
            if Self.quits() { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    func restore() {
        Self.leave(original)
        interrupt.end()
    }

    private static func leave(_ original: termios) {
        Live.write("\u{1B}[?25h\u{1B}[?1049l")
        var restored = original
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, &restored)
    }

    /// Whether q is among the keys that were pressed. Does not wait.
    private static func quits() -> Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&descriptor, 1, 0) > 0 else { return false }
        var keys = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(STDIN_FILENO, &keys, keys.count)
        // At the end of input no key can be pressed any more.
        return count <= 0 || keys.prefix(count).contains { $0 == UInt8(ascii: "q") || $0 == UInt8(ascii: "Q") }
    }

    private static func size() -> (columns: Int, rows: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
