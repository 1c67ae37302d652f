internal import Dispatch
internal import Foundation

/// A terminal that does not show what is typed, until it is told to again, or Ctrl-C ends the program.
final class TerminalEcho {
    private let original: termios
    private let interrupt: Interrupt

    init() {
        var settings = termios()
        unsafe tcgetattr(STDIN_FILENO, &settings)
        let original = settings
        self.original = original
        interrupt = Interrupt {
            var restored = original
            unsafe tcsetattr(STDIN_FILENO, TCSANOW, &restored)
            Live.writeError("\n")
            exit(2)
        }
        settings.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    func restore() {
        var restored = original
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, &restored)
        interrupt.end()
    }
}

/// Does something else than ending the program when Ctrl-C is pressed.
final class Interrupt {
    private let source: any DispatchSourceSignal

    init(_ body: @escaping @Sendable () -> Void) {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler(handler: body)
        source.resume()
        self.source = source
    }

    func end() {
        source.cancel()
        signal(SIGINT, SIG_DFL)
    }
}
