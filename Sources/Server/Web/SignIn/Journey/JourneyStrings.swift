internal import Model
internal import Texts

/// What the pages of a journey's steps say where the operator gives no text.
struct JourneyStrings: PageTexts {
    static let group = "journey"
    let texts: TextGroup

    var fieldsHeading: String { texts["fieldsHeading"] }
    func fieldsLead(_ app: String) -> String { texts["fieldsLead", ["app": app]] }
    var documentHeading: String { texts["documentHeading"] }
    func documentLead(_ app: String) -> String { texts["documentLead", ["app": app]] }
    var tenantsHeading: String { texts["tenantsHeading"] }
    func tenantsLead(_ app: String) -> String { texts["tenantsLead", ["app": app]] }
    var providersHeading: String { texts["providersHeading"] }
    func providersLead(_ app: String) -> String { texts["providersLead", ["app": app]] }
    func connect(_ provider: String) -> String { texts["connect", ["provider": provider]] }
    var accountExistsHeading: String { texts["accountExistsHeading"] }
    func accountExistsLead(_ app: String) -> String { texts["accountExistsLead", ["app": app]] }
    var factorHeading: String { texts["factorHeading"] }
    func factorLead(_ app: String) -> String { texts["factorLead", ["app": app]] }
    var refusedHeading: String { texts["refusedHeading"] }
    func refusedLead(_ app: String) -> String { texts["refusedLead", ["app": app]] }
    var next: String { texts["next"] }
    var skip: String { texts["skip"] }
    var accept: String { texts["accept"] }
    var read: String { texts["read"] }
    func version(_ version: String) -> String { texts["version", ["version": version]] }
    var optional: String { texts["optional"] }
    var choose: String { texts["choose"] }
    var problem: String { texts["problem"] }
    func form(_ mask: String) -> String { texts["form", ["mask": mask]] }
    func refusal(_ refusal: JourneyField.Refusal) -> String {
        switch refusal {
        case .missing: texts["refusal.missing"]
        case .invalid: texts["refusal.invalid"]
        case .tooYoung(let years): texts["refusal.tooYoung", count: years]
        case .length(let length):
            texts["refusal.length", ["lower": length.lowerBound, "upper": length.upperBound]]
        case .range(let range):
            texts["refusal.range", ["lower": Int(range.lowerBound), "upper": Int(range.upperBound)]]
        case .form(let mask): texts["refusal.form", ["mask": mask]]
        }
    }
    var identify: String { texts["identify"] }
    var methodRefused: String { texts["methodRefused"] }
}
