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

    /// The first `bytesMax` bytes of standard input.
    static func readInput(bytesMax: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < bytesMax, let more = try? FileHandle.standardInput.read(upToCount: bytesMax - bytes.count),
            !more.isEmpty
        { bytes += more }
        return bytes
    }
}
