internal import Identity
internal import Texts

/// What the overview of the console says.
struct ConsoleOverviewStrings: PageTexts {
    static let group = "consoleOverview"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var signIns: String { texts["signIns"] }
    var succeeded: String { texts["succeeded"] }
    var failedName: String { texts["failedName"] }
    var refreshes: String { texts["refreshes"] }
    var refreshed: String { texts["refreshed"] }
    var replays: String { texts["replays"] }
    var replaysHint: String { texts["replaysHint"] }
    var requests: String { texts["requests"] }
    var answered: String { texts["answered"] }
    var errorsName: String { texts["errorsName"] }
    var latency: String { texts["latency"] }
    var latencyHint: String { texts["latencyHint"] }
    var half: String { texts["half"] }
    var almostAll: String { texts["almostAll"] }
    var messages: String { texts["messages"] }
    var keys: String { texts["keys"] }
    var connections: String { texts["connections"] }
    var clients: String { texts["clients"] }
    var auditBacklog: String { texts["auditBacklog"] }
    var present: String { texts["present"] }
    func failed(_ count: Int) -> String { texts["failed", count: count] }
    func errors(_ count: Int) -> String { texts["errors", count: count] }
    func logoutNotices(_ count: Int) -> String { texts["logoutNotices", count: count] }
    func nextKey(_ duration: String) -> String { texts["nextKey", ["duration": duration]] }
    func range(_ range: ConsoleOverviewPage.Range) -> String {
        switch range {
        case .hour: texts["range.hour"]
        case .day: texts["range.day"]
        }
    }
    func state(_ state: Readiness.State) -> String {
        switch state {
        case .ready: texts["state.ready"]
        case .stopping: texts["state.stopping"]
        case .noDatabase: texts["state.noDatabase"]
        case .noSigningKey: texts["state.noSigningKey"]
        case .wrongClock(let seconds): texts["state.wrongClock", ["seconds": Int(seconds)]]
        }
    }
}
