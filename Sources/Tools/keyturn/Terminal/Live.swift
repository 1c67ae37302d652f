internal import Foundation

/// What commands touch of the machine they run on.
enum Live {
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Writes at once: a program that reads along must not wait for a buffer to fill.
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    static func writeError(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// How wide a terminal is; `nil` if it is none.
    static func columns(of file: Int32) -> Int? {
        guard isatty(file) == 1 else { return nil }
        var size = winsize()
        guard unsafe ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The first `bytesMax` bytes of standard input.
    static func readInput(bytesMax: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < bytesMax, let more = try? FileHandle.standardInput.read(upToCount: bytesMax - bytes.count),
            !more.isEmpty
        { bytes += more }
        return bytes
    }
}
