internal import Foundation

/// A mail address that can stand in a command and in a header without meaning anything else there.
struct MailAddress: Hashable, Sendable {
    let local: String
    let domain: String

    /// `nil` for anything with spaces, control characters, quotes, brackets, or beyond the lengths of RFC 5321
    /// §4.5.3.1. Letters beyond ASCII are allowed (RFC 6531).
    init?(_ text: String) {
        guard text.utf8.count <= 254, let at = text.lastIndex(of: "@") else { return nil }
        local = String(text[..<at])
        domain = String(text[text.index(after: at)...])
        guard (1...64).contains(local.utf8.count), !local.hasPrefix("."), !local.hasSuffix("."), !local.contains(".."),
            local.unicodeScalars.allSatisfy({ Self.isAtom($0) || $0 == "." }), Self.isDomain(domain)
        else { return nil }
    }

    var text: String { "\(local)@\(domain)" }

    /// Whether a server must know SMTPUTF8 to take it.
    var needsUTF8: Bool { !text.utf8.allSatisfy { $0 < 0x80 } }

    private static func isAtom(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
        }
        return isPrintable(scalar)
    }

    private static func isDomain(_ domain: String) -> Bool {
        guard (1...253).contains(domain.utf8.count) else { return false }
        return domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.unicodeScalars.allSatisfy { scalar in
                    scalar.isASCII
                        ? scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-"
                        : isPrintable(scalar)
                }
        }
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .unassigned,
            .privateUse:
            false
        default: true
        }
    }
}

/// `Name <address>`, or an address alone.
public struct Mailbox: Hashable, Sendable {
    let name: String?
    let address: MailAddress

    /// `nil` if the address is none.
    public init?(_ text: String) {
        if let open = text.lastIndex(of: "<"), text.hasSuffix(">") {
            guard let address = MailAddress(String(text[text.index(after: open)...].dropLast())) else { return nil }
            self.address = address
            let name = text[..<open].trimmingCharacters(in: .whitespaces)
            let isQuoted = name.count > 1 && name.hasPrefix("\"") && name.hasSuffix("\"")
            let unquoted = isQuoted ? String(name.dropFirst().dropLast()) : name
            self.name = unquoted.isEmpty ? nil : unquoted
        } else {
            guard let address = MailAddress(text) else { return nil }
            self.address = address
            name = nil
        }
    }

    /// As it stands in a header.
    var header: String {
        guard let name else { return address.text }
        let phrase = HeaderText.phrase(name)
        return phrase.utf8.count <= 40 ? "\(phrase) <\(address.text)>" : "\(phrase)\r\n <\(address.text)>"
    }
}
