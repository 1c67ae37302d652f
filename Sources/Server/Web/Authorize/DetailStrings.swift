/// Words for what an app asks for in detail (RFC 9396): names of the fields that the standard knows. Others are shown as the
/// app's service named them.
struct DetailStrings: PageStrings {
    let lead: String
    let identifier: String
    let actions: String
    let datatypes: String
    let privileges: String
    let locations: String
    let yes: String
    let no: String

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

extension DetailStrings {
    static let english = DetailStrings(
        lead: "It asks for exactly this:",
        identifier: "For",
        actions: "Allowed",
        datatypes: "Data",
        privileges: "Rights",
        locations: "At",
        yes: "yes",
        no: "no")

    static let german = DetailStrings(
        lead: "Genau das wird verlangt:",
        identifier: "Für",
        actions: "Erlaubt",
        datatypes: "Daten",
        privileges: "Rechte",
        locations: "Bei",
        yes: "ja",
        no: "nein")
}
