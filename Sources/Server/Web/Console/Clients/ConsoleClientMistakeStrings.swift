internal import Model
internal import Texts

/// What is wrong with a client, and what to do.
struct ConsoleClientMistakeStrings: PageTexts {
    static let group = "consoleClientMistake"
    let texts: TextGroup

    var identifier: String { texts["identifier"] }
    var identifierTaken: String { texts["identifierTaken"] }
    var identifierIsAddress: String { texts["identifierIsAddress"] }
    var name: String { texts["name"] }
    var addressMissing: String { texts["addressMissing"] }
    func tooMany(_ max: Int) -> String { texts["tooMany", ["max": max]] }
    var grantMissing: String { texts["grantMissing"] }
    func grantUnknown(_ name: String) -> String { texts["grantUnknown", ["name": name]] }
    func needsAuthentication(_ name: String) -> String { texts["needsAuthentication", ["name": name]] }
    func needsKeys(_ name: String) -> String { texts["needsKeys", ["name": name]] }
    var scope: String { texts["scope"] }
    var method: String { texts["method"] }
    var profile: String { texts["profile"] }
    var profileRefresh: String { texts["profileRefresh"] }
    func profileScope(_ name: String) -> String { texts["profileScope", ["name": name]] }

    func flaw(_ flaw: RedirectURI.Flaw) -> String {
        switch flaw {
        case .malformed: texts["flaw.malformed"]
        case .wildcard: texts["flaw.wildcard"]
        case .scheme(let scheme): texts["flaw.scheme", ["scheme": scheme]]
        case .fragment: texts["flaw.fragment"]
        case .userName: texts["flaw.userName"]
        case .host: texts["flaw.host"]
        case .query: texts["flaw.query"]
        case .responseParameter(let name): texts["flaw.responseParameter", ["name": name]]
        }
    }
}
