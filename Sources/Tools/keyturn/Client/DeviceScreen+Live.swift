internal import Foundation
internal import KeyturnBase

extension Live {
    /// Text goes where other text goes: to standard output, unless a program reads its JSON there.
    static func deviceScreen(json: Bool) -> DeviceScreen {
        let (text, status) = (json ? STDERR_FILENO : STDOUT_FILENO, STDERR_FILENO)
        let abilities = DeviceScreen.Abilities(
            columns: columns(of: text), hasColours: environment["NO_COLOR"]?.isEmpty != false,
            isLive: isatty(status) == 1)
        return DeviceScreen(
            abilities, uptime: Ambient.live.uptime, write: json ? writeError : write, writeStatus: writeError)
    }
}
