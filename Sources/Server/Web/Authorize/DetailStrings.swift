internal import Texts

/// Words for what an app asks for in detail (RFC 9396): names of the fields that the standard knows. Others are shown as the
/// app's service named them.
struct DetailStrings: PageTexts {
    static let group = "detail"
    let texts: TextGroup

    var lead: String { texts["lead"] }
    var identifier: String { texts["identifier"] }
    var actions: String { texts["actions"] }
    var datatypes: String { texts["datatypes"] }
    var privileges: String { texts["privileges"] }
    var locations: String { texts["locations"] }
    var yes: String { texts["yes"] }
    var no: String { texts["no"] }

    /// The name of a common data field (§2.2); `nil` for any other.
    func name(_ field: String) -> String? {
        switch field {
        case "identifier": identifier
        case "actions": actions
        case "datatypes": datatypes
        case "privileges": privileges
        case "locations": locations
        default: nil
        }
    }
}
