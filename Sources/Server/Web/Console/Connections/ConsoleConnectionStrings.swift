internal import Texts

/// What the page of a connection says.
struct ConsoleConnectionStrings: PageTexts {
    static let group = "consoleConnection"
    let texts: TextGroup

    var facts: String { texts["facts"] }
    var id: String { texts["id"] }
    var entries: String { texts["entries"] }
    var settings: String { texts["settings"] }
    var settingsHint: String { texts["settingsHint"] }
    var fileHint: String { texts["fileHint"] }
    var tryIt: String { texts["tryIt"] }
    var enable: String { texts["enable"] }
    var disable: String { texts["disable"] }
    var disableSure: String { texts["disableSure"] }
    var remove: String { texts["remove"] }
    func sure(_ id: String) -> String { texts["sure", ["id": id]] }
    func notice(_ notice: ConsoleConnectionPage.Notice) -> String {
        switch notice {
        case .created: texts["notice.created"]
        case .saved: texts["notice.saved"]
        case .enabled: texts["notice.enabled"]
        case .disabled: texts["notice.disabled"]
        }
    }
}
