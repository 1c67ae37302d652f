internal import Authority
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Model
internal import StoreSQL

extension UserCommand {
    struct PersonalData: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "data",
            abstract: "Write what the database keeps about one user, as one JSON document.",
            discussion: """
                For users who ask what is kept about them: profile, login IDs, methods, sessions with addresses, apps, \
                consents, tenants, providers and audit events, as of one moment and without secrets and hashes. Times \
                are seconds since 1970. A file is made for you alone (mode 0600).
                """)

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "A login ID, or the sub.") var user: String
        @Option(help: ArgumentHelp("Where to. Default, and -: standard output.", valueName: "file"))
        var output: String?

        func run() async throws {
            try await options.withDatabase { database in
                let stores = database.stores()
                let id = try await find(user, in: stores).user.id
                let now = Ambient.live.now()
                try await stores.audit.append([
                    AuditEvent(.usersExported, at: now, userID: id, reason: "data", actor: Operator.actor.name)
                ])
                var document = try database.personalData(of: id)
                document["made_at"] = .integer(now.rawValue)
                let bytes = JSONValue.object(document).serialized + [UInt8(ascii: "\n")]
                guard let output, output != "-" else {
                    return FileHandle.standardOutput.write(Data(bytes))
                }
                try PrivateFile.replace(output, with: bytes)
                if options.json {
                    Report.json(["sub": .string(id.rawValue), "file": .string(output)])
                } else {
                    print("\(output) has the data of \(Printable.text(user))")
                }
            }
        }
    }
}
