internal import KeyturnBase

/// The names by which a tenant's provider may know a user of the tenant's directory.
struct SCIMNames: Hashable, Sendable {
    let externalID: String?
    /// `userName` in lower case.
    let userName: String?
    /// Every `emails.value` in lower case.
    let emails: Set<String>

    init(_ attributes: [String: JSONValue]) {
        externalID = attributes["externalId"]?.stringValue
        userName = attributes["userName"]?.stringValue?.lowercased()
        let elements = attributes["emails"]?.arrayValue ?? []
        emails = Set(elements.compactMap { $0["value"]?.stringValue?.lowercased() })
    }
}

extension SCIMRecord {
    /// Whether a change keeps the names by which the tenant's provider may know the user.
    package func keepsNames(_ content: SCIMContent) -> Bool {
        SCIMNames(attributes) == SCIMNames(content.attributes)
    }
}

extension SCIMContent {
    /// The names that a user's resource takes. An address counts as a `userName` as well, and a `userName` as an address.
    ///
    /// - Parameter record: the resource before the change, whose names are not taken anew; `nil`: it is a new one.
    package func takenNames(besides record: SCIMRecord?) -> ProvisionedNames {
        let former = record.map { SCIMNames($0.attributes) }
        var texts = Set(values.filter { $0.path == "emails.value" }.map(\.text))
        texts.insert(nameKey)
        texts.subtract(former?.emails ?? [])
        if let name = former?.userName { texts.remove(name) }
        let identifiers = [externalID].compactMap(\.self).filter { $0 != former?.externalID }
        return ProvisionedNames(externalIDs: identifiers, userNames: texts.sorted(), emails: texts.sorted())
    }
}
