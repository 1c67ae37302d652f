/// An element of a message, compared by namespace and local name: prefixes mean nothing.
package struct XMLElement: Hashable, Sendable {
    package struct Attribute: Hashable, Sendable {
        package let space: String?
        package let name: String
        package let value: String
    }

    /// `nil`: of no namespace.
    package let space: String?
    package let name: String
    package var attributes: [Attribute] = []
    package var children: [XMLElement] = []
    /// The text directly inside, comments left out and everything around them put together.
    package var text = ""

    package init(space: String?, name: String) {
        self.space = space
        self.name = name
    }

    /// The namespaces of the messages.
    package enum Space {
        package static let assertion = "urn:oasis:names:tc:SAML:2.0:assertion"
        package static let `protocol` = "urn:oasis:names:tc:SAML:2.0:protocol"
        package static let metadata = "urn:oasis:names:tc:SAML:2.0:metadata"
        package static let signature = "http://www.w3.org/2000/09/xmldsig#"
        package static let encryption = "http://www.w3.org/2001/04/xmlenc#"
    }

    package func isNamed(_ name: String, _ space: String) -> Bool { self.name == name && self.space == space }

    /// An attribute of no namespace.
    package subscript(_ name: String) -> String? {
        attributes.first { $0.space == nil && $0.name == name }?.value
    }

    package func all(_ name: String, _ space: String = Space.assertion) -> [XMLElement] {
        children.filter { $0.isNamed(name, space) }
    }

    /// The only child of a name; `nil`: there is none.
    ///
    /// - Throws: ``SAMLFault`` if there is more than one.
    package func one(_ name: String, _ space: String = Space.assertion) throws(SAMLFault) -> XMLElement? {
        let found = all(name, space)
        guard found.count <= 1 else { throw SAMLFault("repeated") }
        return found.first
    }

    /// The text of an element that holds text alone.
    ///
    /// - Throws: ``SAMLFault`` if it holds elements.
    package func plainText() throws(SAMLFault) -> String {
        guard children.isEmpty else { throw SAMLFault("text") }
        return text
    }

    /// Visits this element and all below it.
    package func visit(_ body: (XMLElement) throws(SAMLFault) -> Void) throws(SAMLFault) {
        try body(self)
        for child in children { try child.visit(body) }
    }
}
