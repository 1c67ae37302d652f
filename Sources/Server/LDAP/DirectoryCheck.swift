package import Model

/// What an operator must know about a connection to a directory before a user does.
package enum DirectoryCheck {
    /// Values that are given to another person later, so that they do not identify a user.
    private static let unstable: Set<String> = [
        "uid", "mail", "cn", "sn", "samaccountname", "userprincipalname", "displayname", "dn", "distinguishedname",
        "telephonenumber", "employeenumber",
    ]

    /// What is wrong with the settings, each with the member of the section `ldap` (or `mapping.` and a member of the
    /// mapping), the reason and the remedy.
    package static func mistakes(_ settings: LDAPConnectionSettings) -> [(name: String, why: String, remedy: String)] {
        var mistakes: [(name: String, why: String, remedy: String)] = []
        if LDAPAddress(settings.url) == nil {
            mistakes.append(
                (
                    "url", "it is no address of a directory",
                    "Write ldaps://host or ldap://host, with a port if it needs one."
                ))
        }
        if !LDAPFilter.isUsable(settings.filter, placeholder: LDAPFilter.login) {
            mistakes.append(
                (
                    "filter", "it is no filter that takes a name",
                    "Put it in parentheses, with {login} where the typed name belongs: (uid={login})"
                ))
        }
        if let filter = settings.groupFilter, !LDAPFilter.isUsable(filter, placeholder: LDAPFilter.entry) {
            mistakes.append(
                (
                    "group_filter", "it is no filter that takes a user",
                    "Put it in parentheses, with {dn} where the name of the user's entry belongs: (member={dn})"
                ))
        }
        if unstable.contains(settings.subjectAttribute.lowercased()) {
            mistakes.append(
                (
                    "subject_attribute", "its value can be given to another person",
                    "Use entryUUID, objectGUID for Active Directory, nsUniqueId or ipaUniqueID."
                ))
        }
        for (name, attribute) in [
            ("subject_attribute", settings.subjectAttribute), ("group_attribute", settings.groupAttribute),
        ] + settings.mapping.sorted(by: { $0.key < $1.key }).map({ ("mapping.\($0.key)", $0.value) })
        where !isAttribute(attribute) {
            mistakes.append((name, "it is no name of an attribute", "Use letters, digits and hyphens."))
        }
        return mistakes
    }

    /// A descriptor or a number with dots (RFC 4512 §1.4), with options.
    private static func isAttribute(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ";"):
                    true
                default: false
                }
            }
    }
}
