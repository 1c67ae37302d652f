internal import Model
internal import Texts

/// What the page of a user says.
struct ConsoleUserStrings: PageTexts {
    static let group = "consoleUser"
    let texts: TextGroup

    var edit: String { texts["edit"] }
    var profileTitle: String { texts["profileTitle"] }
    var identifier: String { texts["identifier"] }
    var name: String { texts["name"] }
    var givenName: String { texts["givenName"] }
    var familyName: String { texts["familyName"] }
    var loginIDs: String { texts["loginIDs"] }
    var email: String { texts["email"] }
    var phone: String { texts["phone"] }
    var language: String { texts["language"] }
    var roles: String { texts["roles"] }
    var tenants: String { texts["tenants"] }
    var created: String { texts["created"] }
    var changed: String { texts["changed"] }
    var attributes: String { texts["attributes"] }
    var claims: String { texts["claims"] }
    var verified: String { texts["verified"] }
    var unverified: String { texts["unverified"] }
    var protected: String { texts["protected"] }
    var methodsTitle: String { texts["methodsTitle"] }
    var noMethods: String { texts["noMethods"] }
    var password: String { texts["password"] }
    var setAtUnknown: String { texts["setAtUnknown"] }
    var mustReplace: String { texts["mustReplace"] }
    var authenticator: String { texts["authenticator"] }
    var recoveryCodes: String { texts["recoveryCodes"] }
    var passkey: String { texts["passkey"] }
    var biometricKey: String { texts["biometricKey"] }
    var identity: String { texts["identity"] }
    var off: String { texts["off"] }
    var neverUsed: String { texts["neverUsed"] }
    var remove: String { texts["remove"] }
    var sessionsTitle: String { texts["sessionsTitle"] }
    var appsTitle: String { texts["appsTitle"] }
    var noSessions: String { texts["noSessions"] }
    var noApps: String { texts["noApps"] }
    var app: String { texts["app"] }
    var device: String { texts["device"] }
    var network: String { texts["network"] }
    var since: String { texts["since"] }
    var lastUsed: String { texts["lastUsed"] }
    var end: String { texts["end"] }
    var copiesTitle: String { texts["copiesTitle"] }
    var timelineTitle: String { texts["timelineTitle"] }
    var noEvents: String { texts["noEvents"] }
    var allEvents: String { texts["allEvents"] }
    var event: String { texts["event"] }
    var when: String { texts["when"] }
    var actor: String { texts["actor"] }
    var byUser: String { texts["byUser"] }
    var invite: String { texts["invite"] }
    var reset: String { texts["reset"] }
    var resetExpiring: String { texts["resetExpiring"] }
    var removeFactor: String { texts["removeFactor"] }
    var endAll: String { texts["endAll"] }
    var disable: String { texts["disable"] }
    var enable: String { texts["enable"] }
    func setAt(_ since: String) -> String { texts["setAt", ["since": since]] }
    func addedAt(_ since: String) -> String { texts["addedAt", ["since": since]] }
    func usedAt(_ since: String) -> String { texts["usedAt", ["since": since]] }
    func codesLeft(_ count: Int) -> String { texts["codesLeft", count: count] }
    func `operator`(_ role: String) -> String { texts["operator", ["role": role]] }
    func removePasskeySure(_ name: String) -> String { texts["removePasskeySure", ["name": name]] }
    func removeBiometricSure(_ name: String) -> String { texts["removeBiometricSure", ["name": name]] }
    func inviteSure(_ name: String) -> String { texts["inviteSure", ["name": name]] }
    func resetSure(_ address: String) -> String { texts["resetSure", ["address": address]] }
    func resetExpiringSure(_ address: String) -> String { texts["resetExpiringSure", ["address": address]] }
    func removeFactorSure(_ name: String) -> String { texts["removeFactorSure", ["name": name]] }
    func endAllSure(_ name: String) -> String { texts["endAllSure", ["name": name]] }
    func disableSure(_ name: String) -> String { texts["disableSure", ["name": name]] }
    func enableSure(_ name: String) -> String { texts["enableSure", ["name": name]] }
    func notice(_ notice: ConsoleUserPage.Notice) -> String {
        switch notice {
        case .disabled: texts["notice.disabled"]
        case .enabled: texts["notice.enabled"]
        case .sessionEnded: texts["notice.sessionEnded"]
        case .allEnded: texts["notice.allEnded"]
        case .resetSent: texts["notice.resetSent"]
        case .invited: texts["notice.invited"]
        case .secondFactorRemoved: texts["notice.secondFactorRemoved"]
        case .passkeyRemoved: texts["notice.passkeyRemoved"]
        case .biometricRemoved: texts["notice.biometricRemoved"]
        case .created: texts["notice.created"]
        case .merged: texts["notice.merged"]
        case .nothing: texts["notice.nothing"]
        }
    }
}
