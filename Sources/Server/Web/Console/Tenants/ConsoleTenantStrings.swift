internal import Texts

/// What the page of a tenant says.
struct ConsoleTenantStrings: PageTexts {
    static let group = "consoleTenant"
    let texts: TextGroup

    var facts: String { texts["facts"] }
    var id: String { texts["id"] }
    var name: String { texts["name"] }
    var domains: String { texts["domains"] }
    var domainsHint: String { texts["domainsHint"] }
    var required: String { texts["required"] }
    var requiredHint: String { texts["requiredHint"] }
    var exclusions: String { texts["exclusions"] }
    var since: String { texts["since"] }
    var users: String { texts["users"] }
    var roles: String { texts["roles"] }
    var connections: String { texts["connections"] }
    var change: String { texts["change"] }
    var tokens: String { texts["tokens"] }
    var tokensLead: String { texts["tokensLead"] }
    var token: String { texts["token"] }
    var made: String { texts["made"] }
    var used: String { texts["used"] }
    var ends: String { texts["ends"] }
    var never: String { texts["never"] }
    var ended: String { texts["ended"] }
    var neverEnds: String { texts["neverEnds"] }
    var noTokens: String { texts["noTokens"] }
    var newToken: String { texts["newToken"] }
    var days: String { texts["days"] }
    var make: String { texts["make"] }
    var revoke: String { texts["revoke"] }
    var revokeSure: String { texts["revokeSure"] }
    var secret: String { texts["secret"] }
    var copy: String { texts["copy"] }
    var copied: String { texts["copied"] }
    var remove: String { texts["remove"] }
    func sure(_ id: String) -> String { texts["sure", ["id": id]] }
    func notice(_ notice: ConsoleTenantPage.Notice) -> String {
        switch notice {
        case .created: texts["notice.created"]
        case .saved: texts["notice.saved"]
        case .revoked: texts["notice.revoked"]
        }
    }
}
