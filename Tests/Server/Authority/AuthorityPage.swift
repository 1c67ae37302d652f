@testable import Authority

/// The table of rules in the words of `docs/authority.md`.
enum AuthorityPage {
    /// The rows of the table, in Markdown.
    static var table: String {
        let callers: [Caller.Kind] = [
            .session, .anonymous, .recovery, .operator, .managementKey, .directory, .provider, .machine,
        ]
        var lines = [
            "| what | standard | " + callers.map { title($0) }.joined(separator: " | ") + " |",
            "|---|---|" + callers.map { _ in "---|" }.joined(),
        ]
        for act in Act.allCases {
            let cells = callers.map { caller in
                RuleTable.rule(act, caller).map { cell($0.needs) } ?? "–"
            }
            lines.append("| \(title(act)) | \(standard(act)) | " + cells.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }

    private static func cell(_ needs: [Need]) -> String {
        needs.isEmpty ? "yes" : needs.map(short).joined(separator: ", ")
    }

    private static func title(_ caller: Caller.Kind) -> String {
        switch caller {
        case .session: "own session"
        case .anonymous: "anonymous"
        case .recovery: "recovery"
        case .operator: "operator"
        case .managementKey: "management key"
        case .directory: "directory"
        case .provider: "provider"
        case .machine: "machine"
        }
    }

    /// The letters that the page explains.
    private static func short(_ need: Need) -> String {
        switch need {
        case .ownSession: "own"
        case .recentSignIn: "recent"
        case .secondFactor: "factor"
        case .severalFactors: "factors"
        case .addressProof: "proof"
        case .noStrongFactor: "no factor"
        case .noPassword: "no password"
        case .noProvenAddress: "unproved"
        case .everyAddressProved: "all proved"
        case .noRoleOverOthers: "no role"
        case .role(let role): role.rawValue
        case .recentOperator: "recent"
        case .lowerRole: "lower role"
        case .ownTenant: "own tenant"
        case .signUp: "sign-up"
        case .mergeSetting: "setting"
        case .registration: "registration"
        }
    }

    private static func title(_ act: Act) -> String {
        var words = ""
        for character in act.rawValue {
            words += character.isUppercase ? " " + character.lowercased() : String(character)
        }
        return words
    }

    /// What demands the row, or something near it.
    private static func standard(_ act: Act) -> String {
        switch act {
        case .createAccount: "ASVS 6.3.1"
        case .setPassword, .expirePassword: "ASVS 6.2.3, 6.4.3"
        case .addAuthenticator, .addPasskey, .addDeviceKey, .makeRecoveryCodes, .removeAuthenticator, .removePasskey,
            .changePasskey, .removeDeviceKey:
            "ASVS 6.3.4, 6.4.4, 7.5.1"
        case .addAddress, .proveAddress, .removeAddress, .choosePrimaryAddress, .changeUsername: "ASVS 6.3.7, 7.5.1"
        case .linkIdentity, .unlinkIdentity, .mergeAccounts, .giveUpAccount, .mergeIntoExisting, .voidCredentials:
            "ASVS 6.8.1"
        case .endSessions, .openSessions, .approveSignIn, .approveDevice: "ASVS 7.4, 7.5.2"
        case .giveConsent: "Core §3.1.2.4"
        case .registerClient, .removeClient: "RFC 7591, RFC 7592"
        case .registerManagementClient, .changeClient: "RFC 8252 §8.6, Core §3.1.2.4"
        case .changeConnection, .changeConnectionTrust: "ASVS 6.8"
        default: "ASVS 8.2"
        }
    }
}
