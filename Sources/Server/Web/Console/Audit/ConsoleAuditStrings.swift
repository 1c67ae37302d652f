internal import Texts

/// What the page of the audit log says.
struct ConsoleAuditStrings: PageTexts {
    static let group = "consoleAudit"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var action: String { texts["action"] }
    var user: String { texts["user"] }
    var actor: String { texts["actor"] }
    var words: String { texts["words"] }
    var from: String { texts["from"] }
    var to: String { texts["to"] }
    var when: String { texts["when"] }
    var address: String { texts["address"] }
    var details: String { texts["details"] }
    var export: String { texts["export"] }
    var older: String { texts["older"] }
    var newest: String { texts["newest"] }
    var empty: String { texts["empty"] }
    var noCheckpoint: String { texts["noCheckpoint"] }
    var before: String { texts["before"] }
    var after: String { texts["after"] }
    var noValue: String { texts["noValue"] }
    var erased: String { texts["erased"] }
    func changed(_ count: Int) -> String { texts["changed", count: count] }
    func checkpoint(_ number: Int64, _ since: String) -> String {
        texts["checkpoint", ["number": Int(number), "since": since]]
    }
}
