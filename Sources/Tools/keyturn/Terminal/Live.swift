internal import Foundation
internal import Keyturn
internal import KeyturnBase

/// What client commands touch of the machine they run on.
enum Live {
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Writes at once: a program that reads along must not wait for a buffer to fill.
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    static func writeError(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// Text goes where other text goes: to standard output, unless a program reads its JSON there.
    static func deviceScreen(json: Bool) -> DeviceScreen {
        let (text, status) = (json ? STDERR_FILENO : STDOUT_FILENO, STDERR_FILENO)
        let abilities = DeviceScreen.Abilities(
            columns: columns(of: text), hasColours: environment["NO_COLOR"]?.isEmpty != false,
            isLive: isatty(status) == 1)
        return DeviceScreen(
            abilities, uptime: Ambient.live.uptime, write: json ? writeError : write, writeStatus: writeError)
    }

    /// How wide a terminal is; `nil` if it is none.
    private static func columns(of file: Int32) -> Int? {
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

extension KnownContainers {
    /// Beside the containers themselves; `nil` without a home. No container's folder has a dot in its name.
    static var live: KnownContainers? {
        SealedFileStore.Locations.environment().map {
            KnownContainers(path: $0.configurationRoot + "/keyturn/known.json")
        }
    }
}
