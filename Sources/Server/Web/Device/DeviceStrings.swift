internal import Texts

/// What the pages say about devices without a keyboard.
struct DeviceStrings: PageTexts {
    static let group = "device"
    let texts: TextGroup

    var entryHeading: String { texts["entryHeading"] }
    var entryLead: String { texts["entryLead"] }
    var codeLabel: String { texts["codeLabel"] }
    var codeHint: String { texts["codeHint"] }
    var entrySubmit: String { texts["entrySubmit"] }
    var malformed: String { texts["malformed"] }
    var unknown: String { texts["unknown"] }
    var expired: String { texts["expired"] }
    func questionHeading(_ app: String) -> String { texts["questionHeading", ["app": app]] }
    func questionLead(_ person: String) -> String { texts["questionLead", ["person": person]] }
    var codeLead: String { texts["codeLead"] }
    var warning: String { texts["warning"] }
    var scopesLead: String { texts["scopesLead"] }
    func asked(_ since: String, _ isHere: Bool) -> String {
        isHere ? texts["asked.here", ["since": since]] : texts["asked.elsewhere", ["since": since]]
    }
    var elsewhere: String { texts["elsewhere"] }
    var allow: String { texts["allow"] }
    var otherAccount: String { texts["otherAccount"] }
    func doneHeading(_ outcome: DeviceDonePage.Kind) -> String {
        switch outcome {
        case .allowed: texts["doneHeading.allowed"]
        case .denied: texts["doneHeading.denied"]
        case .expired: texts["doneHeading.expired"]
        case .tooLate: texts["doneHeading.tooLate"]
        }
    }
    func doneLead(_ outcome: DeviceDonePage.Kind) -> String {
        switch outcome {
        case .allowed: texts["doneLead.allowed"]
        case .denied: texts["doneLead.denied"]
        case .expired: texts["doneLead.expired"]
        case .tooLate: texts["doneLead.tooLate"]
        }
    }
    var anotherCode: String { texts["anotherCode"] }
}
