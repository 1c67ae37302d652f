internal import Foundation
package import KeyturnBase

/// What programs may be told of a user's addresses and names. Many of them take one of these for who the user is, and
/// do not look at a flag beside it.
extension User {
    /// The claims, without an email address or phone number that the user has not proved.
    ///
    /// - Parameter unverifiedContacts: keeps them, with the flag that says so.
    package func claims(withUnverifiedContacts unverifiedContacts: Bool) -> [String: JSONValue] {
        var told = claims
        for (address, flag) in [("email", "email_verified"), ("phone_number", "phone_number_verified")] {
            guard claims[address] != nil, claims[flag]?.boolValue != true else {
                if claims[address] == nil { told[flag] = nil }
                continue
            }
            told[flag] = unverifiedContacts ? false : nil
            if !unverifiedContacts { told[address] = nil }
        }
        return told
    }
}

extension Account {
    /// Claims that programs may take for a user's name.
    package static let nameClaims = [
        "name", "given_name", "middle_name", "family_name", "nickname", "preferred_username",
    ]
    /// Those of them that stand for a login ID (OpenID Connect Core §5.1).
    package static let loginClaims = ["preferred_username", "nickname"]

    /// Whether a name is, or holds, an address that the user has not proved.
    package func isUnprovenAddress(_ name: String) -> Bool {
        guard Self.mayHoldAddress(name) else { return false }
        // Longer than any identifier, and costly to normalise: no name to tell.
        guard name.utf8.count <= Identifier.typedBytesMax else { return true }
        let text = name.precomposedStringWithCompatibilityMapping
        let proved = provedAddresses
        let isProved = { (text: String) in Identifier(loginID: text).map(proved.contains) ?? false }
        let words = text.split { $0.isWhitespace || Self.borders.contains($0) }.map(String.init)
        let addresses = words.filter { word in
            word.firstIndex(of: "@").map { $0 != word.startIndex && word.index(after: $0) != word.endIndex } ?? false
        }
        guard addresses.allSatisfy(isProved),
            !text.split(whereSeparator: \.isWhitespace).contains(where: Self.isQuotedAddress)
        else { return true }
        guard let phone = Identifier(loginID: text), phone.kind == .phone,
            phone.value.dropFirst().count(where: \.isNumber) >= Self.phoneDigits
        else { return false }
        return !proved.contains(phone)
    }

    /// Whether one side of an `@` is in quotes or brackets (RFC 5322 §3.2.4, §3.4.1): no account has such an address.
    private static func isQuotedAddress(_ word: Substring) -> Bool {
        let inner = word.drop(while: borders.contains).reversed().drop(while: borders.contains).map { $0 }
        return inner.indices.dropFirst().dropLast().contains { place in
            inner[place] == "@" && (borders.contains(inner[place - 1]) || borders.contains(inner[place + 1]))
        }
    }

    /// Whether a name has a character of addresses, in any of its forms.
    package static func mayHoldAddress(_ name: String) -> Bool {
        name.unicodeScalars.contains {
            "@\u{FE6B}\u{FF20}+\u{FE62}\u{FF0B}\u{207A}\u{208A}".unicodeScalars.contains($0)
        }
    }

    /// What stands around an address in a text.
    private static let borders = Set("<>()[]{},;:\"'`|")
    /// A number with fewer digits is no phone number.
    private static let phoneDigits = 5

    /// The email address, else the phone number, if the user has proved it; `nil`: neither.
    package var provedContact: String? {
        let contacts = user.claims(withUnverifiedContacts: false)
        return contacts["email"]?.stringValue ?? contacts["phone_number"]?.stringValue
    }

    /// The user's name as apps may hear it: a name, else ``provedContact``; `nil`: none.
    package var toldDisplayName: String? {
        let name = told("name")
        return name.isEmpty ? provedContact : name
    }

    /// A name as a program may hear it; empty: none.
    package func told(_ claim: String) -> String {
        guard let text = user.claims[claim]?.stringValue, !isUnprovenAddress(text) else { return "" }
        return text
    }
}
