internal import ArgumentParser

/// `keyturn audit`: the audit log.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "The audit log: sign-ins, refusals, and every change.",
        discussion: """
            Conditions that are given must all hold:

              keyturn audit --user ann@example.com --since 7d
              keyturn audit --action sign_in.failed --action sign_in.throttled --since 1h
              keyturn audit --client web --since 2026-11-01 --until 2026-11-30 --json
              keyturn audit --follow
              keyturn audit verify
              keyturn audit export --since 2026-11-01 --output november.jsonl

            Changes by these commands are done by operator:NAME, the system user; changes by the management interface \
            by management:DIGEST, the beginning of the key's SHA-256. Events are kept for a year, or `audit.retention_days`, and hold no secret. \
            `keyturn help audit show` lists the conditions.
            """,
        subcommands: [AuditShowCommand.self, AuditVerifyCommand.self, AuditExportCommand.self],
        defaultSubcommand: AuditShowCommand.self)
}
