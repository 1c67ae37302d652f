internal import Model
internal import Texts

/// What several pages say, and the way to the texts of each: `strings[LinkStrings.self]`.
struct Strings: PageTexts {
    static let group = "common"
    let texts: TextGroup

    var language: Language { Language(table: texts.table) }
    var footer: String { texts["footer"] }
    var usernameLabel: String { texts["usernameLabel"] }
    var passwordLabel: String { texts["passwordLabel"] }
    var show: String { texts["show"] }
    var hide: String { texts["hide"] }
    var cancel: String { texts["cancel"] }
    var busy: String { texts["busy"] }
    func tooManyAttempts(_ duration: String) -> String { texts["tooManyAttempts", ["duration": duration]] }
    var unverified: String { texts["unverified"] }
    var deny: String { texts["deny"] }
    var policy: String { texts["policy"] }
    var terms: String { texts["terms"] }
    func scope(_ name: String) -> String {
        switch name {
        case "openid": texts["scope.openid"]
        case "profile": texts["scope.profile"]
        case "email": texts["scope.email"]
        case "phone": texts["scope.phone"]
        case "address": texts["scope.address"]
        case "offline_access": texts["scope.offline_access"]
        case "keyturn:management": texts["scope.management"]
        case "device_sso": texts["scope.device_sso"]
        default: texts["scope.other", ["name": name]]
        }
    }
    /// A line for each of an app's claims. A flag beside an address is part of it.
    func claims(_ names: Set<String>) -> [String] {
        let flag = "_verified"
        return names.filter { !$0.hasSuffix(flag) || !names.contains(String($0.dropLast(flag.count))) }.sorted().map {
            name in
            switch name {
            case "email": texts["scope.email"]
            case "phone_number": texts["scope.phone"]
            case "address": texts["scope.address"]
            case "name": texts["claim.name"]
            default: texts["claim.other", ["name": name]]
            }
        }
    }
    /// A line for a service that an app's tokens are for. A name never stands without the address.
    func resource(_ resource: NamedResource) -> String {
        guard let name = resource.name else { return texts["resource.other", ["address": resource.uri]] }
        return texts["resource.named", ["name": name, "address": resource.uri]]
    }
    var signOut: String { texts["signOut"] }
    func onward(_ app: String?) -> String { app.map { texts["onward.app", ["app": $0]] } ?? texts["onward.settings"] }
    var deviceUnknown: String { texts["deviceUnknown"] }
    var time: TimeWords { self[TimeWords.self] }

    /// The texts of a page, in the same language.
    subscript<Words: PageTexts>(_: Words.Type) -> Words { Words(texts.table) }
}
