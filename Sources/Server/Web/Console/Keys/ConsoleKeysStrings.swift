internal import Model
internal import Texts

/// What the page of signing keys says.
struct ConsoleKeysStrings: PageTexts {
    static let group = "consoleKeys"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var timeline: String { texts["timeline"] }
    var present: String { texts["present"] }
    var key: String { texts["key"] }
    var algorithm: String { texts["algorithm"] }
    var stateTitle: String { texts["stateTitle"] }
    var created: String { texts["created"] }
    var activates: String { texts["activates"] }
    var retires: String { texts["retires"] }
    var published: String { texts["published"] }
    var empty: String { texts["empty"] }
    var rotate: String { texts["rotate"] }
    var rotateLead: String { texts["rotateLead"] }
    var rotateSure: String { texts["rotateSure"] }
    var drop: String { texts["drop"] }
    var dropLead: String { texts["dropLead"] }
    var dropSure: String { texts["dropSure"] }
    var typeID: String { texts["typeID"] }
    var wrongID: String { texts["wrongID"] }
    func state(_ state: StoredKey.State) -> String {
        switch state {
        case .next: texts["state.next"]
        case .signing: texts["state.signing"]
        case .verifying: texts["state.verifying"]
        }
    }
    /// A moment to come, rounded up.
    func until(_ seconds: Int, _ time: TimeWords) -> String {
        seconds < 2 * 86_400
            ? texts["until", ["duration": time.duration(seconds)]]
            : texts["untilDays", count: (seconds + 43_200) / 86_400]
    }
    func notice(_ notice: ConsoleKeysPage.Notice) -> String {
        switch notice {
        case .rotated: texts["notice.rotated"]
        case .underway: texts["notice.underway"]
        case .dropped: texts["notice.dropped"]
        }
    }
}
