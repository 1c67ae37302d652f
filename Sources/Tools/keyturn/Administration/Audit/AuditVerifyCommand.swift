internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Model

/// `keyturn audit verify`: whether the audit log is as it was written.
struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that no event was changed, removed or added.",
        discussion: """
            Follows the chain of digests through the whole log, and compares it with what the server signed once an \
            hour under its secrets. Ends with 1 if the log is not as it was written.

            An attacker who can write the database can also remove signatures and the oldest events, and with the \
            secrets write another log. Against that, note the digest that this command prints, or one that another \
            program received, somewhere else, and ask for it later:

              keyturn audit verify --digest 5f0c…
            """)

    @OptionGroup var options: AdministrationOptions
    @Option(help: "64 hexadecimal digits that were noted earlier: the log must still have an event with this digest.")
    var digest: String?

    func validate() throws {
        guard digest == nil || noted != nil else { throw ValidationError("--digest is 64 hexadecimal digits.") }
    }

    private var noted: [UInt8]? {
        digest.flatMap(Base16.decode).flatMap { $0.count == AuditChain.beginning.count ? $0 : nil }
    }

    func run() async throws {
        let configuration = try options.configuration()
        let secrets = try SecretsFile.present(for: configuration).flatMap(ServerSecrets.init)
        try await options.withStores { stores in
            let checkpoints = try await stores.audit.checkpoints()
            let head = try await stores.audit.head()
            var verification = AuditVerification(checkpoints: checkpoints, secrets: secrets, digest: noted)
            try await follow(stores.audit, head, &verification)
            verification.finish(head)
            let report = AuditVerificationReport(verification, head, hasSecrets: secrets != nil)
            if options.json { Report.json(report.json) } else { print(report.text) }
            guard verification.findings.isEmpty else {
                throw CommandFailure.failed("the audit log is not as it was written.")
            }
        }
    }

    private func follow(
        _ store: any AuditStore, _ head: AuditHead, _ verification: inout AuditVerification
    ) async throws {
        let progress = ProgressLine("events")
        var after: Int64 = 0
        while after < head.number {
            let records = try await store.chain(after: after, through: head.number, limit: Limits.auditOfPageMax)
            guard let last = records.last else { break }
            for record in records { verification.check(record) }
            after = last.number
            progress.show(verification.events + verification.earlier)
        }
        progress.end()
    }
}
