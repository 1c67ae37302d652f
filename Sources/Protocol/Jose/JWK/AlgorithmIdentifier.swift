package import SwiftASN1

/// What a key is for, or how something was encrypted (RFC 5280 §4.1.1.2).
package struct AlgorithmIdentifier: DERParseable {
    package let type: ASN1ObjectIdentifier
    /// What more there is to say depends on the type.
    package let parameters: ASN1Node?

    package init(derEncoded node: ASN1Node) throws {
        (type, parameters) = try DER.sequence(node, identifier: .sequence) { parts in
            (try ASN1ObjectIdentifier(derEncoded: &parts), parts.next())
        }
    }
}
