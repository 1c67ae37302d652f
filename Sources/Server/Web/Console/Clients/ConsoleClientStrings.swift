internal import Model
internal import Texts

/// What the page of a client says.
struct ConsoleClientStrings: PageTexts {
    static let group = "consoleClient"
    let texts: TextGroup

    var scope: String { texts["scope"] }
    var everyScope: String { texts["everyScope"] }
    var liveGrants: String { texts["liveGrants"] }
    var details: String { texts["details"] }
    var redirectURIs: String { texts["redirectURIs"] }
    var postLogoutRedirectURIs: String { texts["postLogoutRedirectURIs"] }
    var fromFile: String { texts["fromFile"] }
    var edit: String { texts["edit"] }
    var streams: String { texts["streams"] }
    var streamsLead: String { texts["streamsLead"] }
    var stream: String { texts["stream"] }
    var delivery: String { texts["delivery"] }
    var polled: String { texts["polled"] }
    var state: String { texts["state"] }
    var eventTypes: String { texts["eventTypes"] }
    var eventsBehind: String { texts["eventsBehind"] }
    var failures: String { texts["failures"] }
    var tryTitle: String { texts["tryTitle"] }
    var tryLead: String { texts["tryLead"] }
    var tryLink: String { texts["tryLink"] }
    var redeem: String { texts["redeem"] }
    var ownToken: String { texts["ownToken"] }
    var copy: String { texts["copy"] }
    var copied: String { texts["copied"] }
    var actions: String { texts["actions"] }
    var rotate: String { texts["rotate"] }
    var rotateSure: String { texts["rotateSure"] }
    var keepOld: String { texts["keepOld"] }
    var remove: String { texts["remove"] }
    var wrongID: String { texts["wrongID"] }
    func count(_ count: Int) -> String { texts["count", count: count] }
    func removeSure(_ count: Int) -> String { texts["removeSure", count: count] }
    func typeID(_ id: String) -> String { texts["typeID", ["id": id]] }
    func status(_ status: SignalStream.Status) -> String {
        switch status {
        case .enabled: texts["status.enabled"]
        case .paused: texts["status.paused"]
        case .disabled: texts["status.disabled"]
        }
    }
    func notice(_ notice: ConsoleClientPage.Notice) -> String {
        switch notice {
        case .registered: texts["notice.registered"]
        case .changed: texts["notice.changed"]
        }
    }
}
