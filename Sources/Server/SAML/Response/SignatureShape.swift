/// The form that a signature must have before it is verified (wire sheet §3.2, check 12).
enum SignatureShape {
    private typealias Space = XMLElement.Space
    private static let exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#"
    private static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
    private static let digests: Set<String> = [
        "http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384",
        "http://www.w3.org/2001/04/xmlenc#sha512",
    ]
    private static let methods: Set<String> = [
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
    ]
    /// SHA-256 of nothing: what careless code hashes when canonicalization failed.
    private static let digestOfNothing = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    /// - Throws: ``SAMLFault`` unless the signature covers `element`, and nothing but it.
    static func check(_ signature: XMLElement, of element: XMLElement) throws(SAMLFault) {
        let parts = signature.children.map(\.name)
        guard parts == ["SignedInfo", "SignatureValue"] || parts == ["SignedInfo", "SignatureValue", "KeyInfo"],
            signature.children.allSatisfy({ $0.space == Space.signature })
        else { throw SAMLFault("signature_shape") }
        let info = signature.children[0].children
        guard info.map(\.name) == ["CanonicalizationMethod", "SignatureMethod", "Reference"],
            info.allSatisfy({ $0.space == Space.signature })
        else { throw SAMLFault("signature_shape") }
        guard info[0]["Algorithm"] == exclusive, let method = info[1]["Algorithm"], methods.contains(method),
            info[1].children.isEmpty
        else { throw SAMLFault("signature_algorithm") }
        try check(reference: info[2], of: element)
    }

    private static func check(reference: XMLElement, of element: XMLElement) throws(SAMLFault) {
        guard let id = element["ID"], reference["URI"] == "#" + id,
            reference.children.map(\.name) == ["Transforms", "DigestMethod", "DigestValue"],
            reference.children.allSatisfy({ $0.space == Space.signature })
        else { throw SAMLFault("signature_reference") }
        let transforms = reference.children[0].children
        guard transforms.map({ $0["Algorithm"] }) == [enveloped, exclusive],
            transforms.allSatisfy({ $0.isNamed("Transform", Space.signature) }), transforms[0].children.isEmpty,
            transforms[1].children.allSatisfy({ $0.isNamed("InclusiveNamespaces", exclusive) })
        else { throw SAMLFault("signature_transform") }
        guard let digest = reference.children[1]["Algorithm"], digests.contains(digest),
            reference.children[2].text.filter({ !$0.isWhitespace }) != digestOfNothing
        else { throw SAMLFault("signature_algorithm") }
    }
}
