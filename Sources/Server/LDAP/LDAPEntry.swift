internal import KeyturnBase
internal import CLDAP
internal import Foundation
internal import Model

/// An entry of a directory: its name, and those of its attributes that were asked for.
struct LDAPEntry: Hashable, Sendable {
    /// Its name, to bind with: as the directory wrote it.
    let name: String
    /// Values by the names of attributes in lower case, in the directory's order.
    private let attributes: [String: [[UInt8]]]
    /// Attributes, in lower case, of which the directory gave a part alone: Active Directory cuts long lists, and names the
    /// part (`memberOf;range=0-1499`).
    private let cut: Set<String>

    init(name: String, attributes: [String: [[UInt8]]], cut: Set<String> = []) {
        self.name = name
        self.cut = cut
        self.attributes = Dictionary(attributes.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
    }

    /// Reads an entry of a result; `nil` if it has no name.
    @unsafe init?(_ ldap: OpaquePointer, _ message: OpaquePointer, _ wanted: [String]) {
        guard let name = unsafe ldap_get_dn(ldap, message) else { return nil }
        defer { unsafe ldap_memfree(name) }
        var attributes: [String: [[UInt8]]] = [:]
        for attribute in wanted {
            guard let values = unsafe ldap_get_values_len(ldap, message, attribute) else { continue }
            defer { unsafe ldap_value_free_len(values) }
            let count = min(Int(unsafe ldap_count_values_len(values)), Limits.directoryValuesMax)
            attributes[attribute] = (0..<count).compactMap { index in
                guard let value = unsafe values[index], let bytes = unsafe value.pointee.bv_val else { return nil }
                let length = Int(unsafe value.pointee.bv_len)
                guard length <= Limits.directoryValueBytesMax else { return nil }
                return unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: length))
            }
        }
        let cut = unsafe Self.cutNames(ldap, message)
        self.init(name: unsafe String(cString: name), attributes: attributes, cut: cut)
    }

    @unsafe private static func cutNames(_ ldap: OpaquePointer, _ message: OpaquePointer) -> Set<String> {
        var cursor: OpaquePointer? = nil
        var names: Set<String> = []
        var next = unsafe ldap_first_attribute(ldap, message, &cursor)
        while let name = unsafe next {
            let parts = unsafe String(cString: name).lowercased().split(separator: ";")
            if let first = parts.first, parts.dropFirst().contains(where: { $0.hasPrefix("range=") }) {
                names.insert(String(first))
            }
            unsafe ldap_memfree(name)
            unsafe next = ldap_next_attribute(ldap, message, cursor)
        }
        if let cursor = unsafe cursor { unsafe ber_free(cursor, 0) }
        return names
    }

    /// Whether the directory gave only a part of an attribute's values.
    func isCut(_ attribute: String) -> Bool { cut.contains(attribute.lowercased()) }

    /// The values of an attribute, as they are.
    func bytes(_ attribute: String) -> [[UInt8]] { attributes[attribute.lowercased()] ?? [] }

    /// The values of an attribute that are text.
    func texts(_ attribute: String) -> [String] {
        bytes(attribute).compactMap { String(validating: $0, as: UTF8.self) }.filter { !$0.isEmpty }
    }

    /// What identifies the user for ever; `nil`: the entry has none, or several.
    ///
    /// `objectGUID` is 16 bytes, of which the first three groups are little-endian; it becomes the text that Active
    /// Directory's tools show.
    func subject(_ attribute: String) -> String? {
        let values = bytes(attribute)
        guard values.count == 1 else { return nil }
        guard attribute.lowercased() == "objectguid" else { return texts(attribute).first?.lowercased() }
        let raw = values[0]
        guard raw.count == 16 else { return nil }
        let ordered = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map { raw[$0] }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Base16.encode(ordered[$0]) }.joined(separator: "-")
    }

    /// Whether the directory says that the user may not sign in: Active Directory's `userAccountControl`, OpenLDAP's
    /// `pwdAccountLockedTime` without end, 389 Directory Server's `nsAccountLock`.
    var isDisabled: Bool {
        if let flags = texts("userAccountControl").first.flatMap({ Int($0) }), flags & 2 != 0 { return true }
        if texts("pwdAccountLockedTime").contains("000001010000Z") { return true }
        return texts("nsAccountLock").contains { $0.lowercased() == "true" }
    }

    /// Whether it only points at another entry.
    var isPointer: Bool {
        texts("objectClass").contains { ["alias", "referral"].contains($0.lowercased()) }
    }
}
