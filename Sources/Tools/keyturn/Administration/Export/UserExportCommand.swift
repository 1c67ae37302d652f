internal import Authority
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Model
internal import SignIn
internal import StoreSQL

extension UserCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write every user to a file that `keyturn user import` takes back.",
            discussion: """
                JSON Lines, all as of one moment, oldest user first. The file is made for you alone (mode 0600). Password \
                hashes and the keys of authenticators are in it only with --with-hashes: whoever has them can try \
                passwords at leisure, and needs no second factor. The keys need the server's --config, or its secrets \
                beside the database.
                Tenants and roles must be there before the file is brought in elsewhere.
                """)

        @OptionGroup var options: AdministrationOptions
        @Option(help: ArgumentHelp("Where to. Default, and -: standard output.", valueName: "file"))
        var output: String?
        @Flag(help: "Also password hashes and keys of authenticators; needs --output.") var withHashes = false

        func run() async throws {
            guard !withHashes || output != nil else {
                throw CommandFailure.refused(
                    "hashes do not belong on a screen. Say --output FILE, or --output - if a program reads along.")
            }
            let output = output == "-" ? nil : output
            try await options.withDatabase { database in
                let stores = database.stores()
                let access = AccessDirectory(tenants: stores.tenants, roles: stores.roles)
                try await access.reload()
                try await stores.audit.append([
                    AuditEvent(
                        .usersExported, at: Ambient.live.now(), reason: withHashes ? "with_hashes" : nil,
                        actor: Operator.actor.name)
                ])
                let writer = UserRowWriter(
                    access: access, withHashes: withHashes, authenticators: try await seal(database, stores))
                guard let output else {
                    _ = try Self.write(database, writer) { FileHandle.standardOutput.write(Data($0)) }
                    return
                }
                let count = try Self.write(database, writer, to: output)
                if options.json {
                    Report.json(["users": .integer(Int64(count)), "file": .string(output)])
                } else {
                    print("\(count) \(count == 1 ? "user" : "users") in \(output)")
                }
            }
        }

        /// What opens authenticators; `nil` where none is to be exported, or there is none.
        private func seal(_ database: any SQLDatabase, _ stores: Stores) async throws -> TOTPSeal? {
            guard withHashes, try await database.hasAuthenticators() else { return nil }
            return try await RowAuthenticators.seal(options.configuration(), stores)
        }

        /// Whole or not there: it gets its name when it is complete.
        private static func write(_ database: any SQLDatabase, _ writer: UserRowWriter, to path: String) throws -> Int {
            let file = try PrivateFile(path: "\(path).part")
            do {
                let count = try write(database, writer, file.write)
                try file.finish()
                guard unsafe rename(file.path, path) == 0 else {
                    throw CommandFailure.failed("\(path) cannot be written: is there a folder of that name?")
                }
                return count
            } catch {
                unsafe unlink(file.path)
                throw error
            }
        }

        private static func write(
            _ database: any SQLDatabase, _ writer: UserRowWriter, _ put: ([UInt8]) throws -> Void
        ) throws -> Int {
            var page: [UInt8] = []
            var count = 0
            try database.eachAccountWithAuthenticator { account, authenticator in
                page += try writer.row(account, authenticator).serialized + [UInt8(ascii: "\n")]
                count += 1
                guard page.count >= ImportLimits.chunkBytes else { return }
                try put(page)
                page.removeAll(keepingCapacity: true)
            }
            try put(page)
            return count
        }
    }
}
