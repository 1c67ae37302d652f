internal import Foundation
internal import KeyturnBase
internal import Model

/// An audit event as a syslog message (RFC 5424): facility 10, security; severity warning for what was refused, and
/// notice for the rest. The action is the MSGID, the event as JSON the message.
enum SyslogMessage {
    private static let facility = 10
    private static let warning = 4
    private static let notice = 5
    /// RFC 5424 §6: of HOSTNAME and MSGID.
    private static let (hostMax, idMax) = (255, 32)
    private static let suspicious = [
        "failed", "throttled", "refused", "dropped", "replayed", "repeated", "wrong_key", "wrong_secret", "locked",
        "disputed", "counter_regressed", "ahead",
    ]

    /// - Parameter host: The issuer's.
    static func text(_ record: AuditRecord, host: String) -> String {
        let action = record.event.kind.rawValue
        let severity = suspicious.contains { action.hasSuffix($0) } ? warning : notice
        let time = record.event.at.date.formatted(.iso8601)
        let json = String(decoding: record.json.serialized, as: UTF8.self)
        return
            "<\(facility * 8 + severity)>1 \(time) \(printable(host, hostMax)) keyturn - \(printable(action, idMax)) - \(json)"
    }

    /// Printable ASCII; a hyphen stands for nothing.
    private static func printable(_ text: String, _ max: Int) -> String {
        let bytes = text.utf8.filter { (0x21...0x7E).contains($0) }.prefix(max)
        return bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self)
    }
}
