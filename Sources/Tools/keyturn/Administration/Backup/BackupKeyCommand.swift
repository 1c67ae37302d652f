internal import ArgumentParser
internal import Crypto
internal import KeyturnBase

extension BackupCommand {
    /// `keyturn backup key`: the keys that backups are encrypted to.
    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key", abstract: "Make the keys that backups are encrypted to.",
            subcommands: [Create.self, Show.self])

        struct Create: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "create", abstract: "Write a new private key to a file, and print its public one.",
                discussion: """
                    The file, the identity, reads every backup that is encrypted to the public key, the recipient. \
                    Make it on a machine that is not the server, and keep a copy of it elsewhere: without it those \
                    backups are lost. The server needs the recipient alone, which is no secret.
                    """)

            @Argument(help: "The file to make, for you alone (mode 0600).") var file: String
            @Flag(help: "Print one JSON object instead of text.") var json = false

            func run() async throws {
                let identity = BackupIdentity(Curve25519.KeyAgreement.PrivateKey())
                let output = try PendingFile(for: file, ambient: .live)
                let text = """
                    # Made \(Report.text(Ambient.live.now())). Reads backups that are encrypted to this recipient:
                    # \(identity.recipient)
                    \(identity.exposed)

                    """
                try output.write(Array(text.utf8))
                try output.place()
                guard json else { return print("\(identity.recipient)") }
                Report.json(["recipient": .string("\(identity.recipient)"), "file": .string(file)])
            }
        }

        struct Show: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "show", abstract: "Print the recipient of an identity file.")

            @Argument(help: "The identity file.") var file: String

            func run() async throws {
                for identity in try BackupKeyFiles.identities([file]) { print("\(identity.recipient)") }
            }
        }
    }
}
