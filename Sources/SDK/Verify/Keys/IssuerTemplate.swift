internal import KeyturnBase

/// The issuers of a provider that has one metadata document for many tenants: an address with `{tenantid}` in the place
/// of the tenant, as Entra writes it (`https://login.microsoftonline.com/{tenantid}/v2.0`).
package struct IssuerTemplate: Hashable, Sendable {
    /// What stands for the tenant.
    package static let placeholder = "{tenantid}"
    /// In its place where the rest of an address is looked at.
    private static let anyTenant = "00000000-0000-0000-0000-000000000000"

    /// The template, as the document spells it.
    package let text: String
    private let head: String
    private let tail: String

    /// `nil` unless it is an address that requests may go to, in which the placeholder is one whole segment of the path
    /// and nothing else is left open.
    package init?(_ text: String) {
        guard let start = text.firstIndex(of: "{"), text[start...].hasPrefix(Self.placeholder) else { return nil }
        head = String(text[..<start])
        tail = String(text[start...].dropFirst(Self.placeholder.count))
        self.text = text
        // A brace is no character of an address.
        guard head.hasSuffix("/"), tail.isEmpty || tail.hasPrefix("/"),
            let base = URIParts(head), base.isProtectedEndpoint, base.query == nil,
            let whole = URIParts(head + Self.anyTenant + tail), whole.query == nil, whole.fragment == nil
        else { return nil }
    }

    /// The issuer of one tenant.
    package func issuer(of tenant: String) -> String { head + tenant + tail }

    /// The tenant whose issuer this is, character by character; `nil` if it is none of the template.
    package func tenant(of issuer: String) -> String? {
        segment(of: issuer).flatMap { Self.isTenant($0) ? $0 : nil }
    }

    /// Whether an address is the template with anything for the tenant, such as `common`.
    package func fits(_ address: String) -> Bool { segment(of: address) != nil }

    /// Whether a text is the identifier of a tenant: a GUID (RFC 9562 §4).
    package static func isTenant(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(isHexadecimal) }
    }

    /// Whether a key that names `keyIssuer` as its own may sign for `issuer`: both are the same, or the first is a
    /// template of the second.
    static func isKey(of keyIssuer: String, for issuer: String) -> Bool {
        keyIssuer.utf8.elementsEqual(issuer.utf8) || IssuerTemplate(keyIssuer)?.tenant(of: issuer) != nil
    }

    private func segment(of address: String) -> String? {
        let (bytes, head, tail) = (Array(address.utf8), Array(head.utf8), Array(tail.utf8))
        guard bytes.count > head.count + tail.count, bytes.starts(with: head),
            bytes.suffix(tail.count).elementsEqual(tail)
        else { return nil }
        let middle = bytes[head.count..<(bytes.count - tail.count)]
        return middle.contains(UInt8(ascii: "/")) ? nil : String(decoding: middle, as: UTF8.self)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }
}
