internal import Model
internal import Texts

/// What the pages of users say.
struct ConsoleUsersStrings: PageTexts {
    static let group = "consoleUsers"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var searchLabel: String { texts["searchLabel"] }
    var statusTitle: String { texts["statusTitle"] }
    var tenant: String { texts["tenant"] }
    var role: String { texts["role"] }
    var user: String { texts["user"] }
    var factor: String { texts["factor"] }
    var created: String { texts["created"] }
    var create: String { texts["create"] }
    var nothing: String { texts["nothing"] }
    var passkey: String { texts["passkey"] }
    var authenticator: String { texts["authenticator"] }
    var noFactor: String { texts["noFactor"] }
    var test: String { texts["test"] }
    var anonymous: String { texts["anonymous"] }
    var missing: String { texts["missing"] }
    func total(_ count: Int) -> String { texts["total", count: count] }
    func moreThan(_ count: Int) -> String { texts["moreThan", ["count": count]] }
    func more(_ count: Int) -> String { texts["more", count: count] }
    func status(_ status: User.Status) -> String {
        switch status {
        case .active: texts["status.active"]
        case .disabled: texts["status.disabled"]
        case .invited: texts["status.invited"]
        case .expired: texts["status.expired"]
        }
    }
    func notice(_ notice: ConsoleUsersPage.Notice) -> String {
        switch notice {
        case .deleted: texts["notice.deleted"]
        }
    }
}
