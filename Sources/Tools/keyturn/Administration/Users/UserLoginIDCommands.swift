internal import ArgumentParser
internal import Authority
internal import KeyturnBase
internal import Model
internal import SignIn

extension UserCommand {
    struct AddLoginID: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add-login-id", abstract: "Give a user another email address, phone number or user name.",
            discussion: "An address that is not said to be verified must be proved before it signs anybody in.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "A login ID, or the sub.") var user: String
        @Argument(help: "The new one: an address, a number with +, or a user name.") var loginID: String
        @Flag(help: "You know that it belongs to the user.") var verified = false

        func run() async throws {
            guard let identifier = Identifier(loginID: loginID) else {
                throw CommandFailure.refused("\(Printable.text(loginID)) cannot be a login ID.")
            }
            let isVerified = verified || identifier.kind == .username
            try await options.withChanges { changes in
                let account = try await find(user, in: changes.stores)
                if account.identifiers[identifier] == nil { try identifier.requireNoFlaw() }
                if let owner = try await changes.stores.users.account(identifier), owner.user.id != account.user.id {
                    throw CommandFailure.refused(
                        "\(Printable.text(identifier.value)) is the login ID of another user: \(owner.user.id.rawValue)."
                    )
                }
                guard account.identifiers.count < Limits.identifiersOfUserMax else {
                    throw CommandFailure.refused("a user has at most \(Limits.identifiersOfUserMax) login IDs.")
                }
                let state: Account.IdentifierState = isVerified ? .verified : .unverified
                var draft = account
                draft.identifiers[identifier] = state
                // What a stranger set up ends. Their other addresses are forgotten if they claimed this login ID.
                let isStrangers = account.isStrangers(onceItBecomes: draft)
                let isClaimed = isStrangers && account.identifiers[identifier] == .unverified
                if isStrangers {
                    try await changes.stores.passwords.void(
                        by: try AuditedDatabase.permit(Acts.VoidCredentials.self, on: account.subject), keeping: nil,
                        at: Ambient.live.now())
                }
                let note = changes.note
                let stores = changes.recording(
                    .identifierAdded, user: account.user.id, reason: identifier.kind.rawValue, note: note)
                let noted = note.noting { (account: inout Account) in
                    if isClaimed { NewAccount.forgetStrangers(&account, keeping: [identifier]) }
                    account.identifiers[identifier] = state
                }
                let changed = try await stores.users.change(
                    by: try AuditedDatabase.permitChange(of: account), at: Ambient.live.now(), noted)
                if options.json { Report.json(json(changed, changes.access)) } else { print("added") }
            }
        }
    }

    struct RemoveLoginID: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-login-id", abstract: "Take a login ID away from its user.",
            discussion: "The last one stays: nobody could sign in without it.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "What is taken away.") var loginID: String

        func run() async throws {
            guard let identifier = Identifier(loginID: loginID) else {
                throw CommandFailure.refused("\(Printable.text(loginID)) cannot be a login ID.")
            }
            try await options.withChanges { changes in
                let account = try await find(loginID, in: changes.stores)
                guard account.identifiers[identifier] != nil else { throw StoreError(.missing) }
                guard account.identifiers.count > 1 else {
                    throw CommandFailure.refused(
                        "it is the user's only login ID. Add another first, or disable or delete the user.")
                }
                let note = changes.note
                let stores = changes.recording(
                    .identifierRemoved, user: account.user.id, reason: identifier.kind.rawValue, note: note)
                let noted = note.noting { (account: inout Account) in account.identifiers[identifier] = nil }
                let changed = try await stores.users.change(
                    by: try AuditedDatabase.permitChange(of: account), at: Ambient.live.now(), noted)
                if options.json { Report.json(json(changed, changes.access)) } else { print("removed") }
            }
        }
    }
}
